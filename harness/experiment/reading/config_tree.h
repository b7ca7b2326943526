// Work on a TOML tree before it is read: overrides from the command line, and writing it as text again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/files/toml_tree.h"

namespace harness {

/// Applies "KEY=VALUE": sets the value under a dotted key of `document` (a table), making tables as needed;
/// "fault.NAME.KEY" in all [[fault]] of that name, "trace.NAME.streams.N.KEY" in class N of its
/// [[trace.NAME.streams]]; the values of a [[sweep]] that the document has of that key. VALUE is TOML; a bare
/// word counts as text. Throws InputError that names --set.
void apply_override(TomlValue& document, const std::string& override_text);

/// The table's member of that name, made when it is missing; names stay in the parser's order.
TomlValue& member_to_set(TomlTable& table, const std::string& name);

/// Which class of streams the part N of a key trace.NAME.streams.N.KEY means, one of `classes` from 0. Throws
/// InputError at `place` when it is none.
std::size_t class_of_part(const InputPlace& place, const std::string& part, std::size_t classes);

/// Takes away what a list of pipelines or traces given by --set leaves without use: the file's [trace.NAME]
/// tables, names in `only` of a [[system]], and those [[system]] of which no name is left.
void drop_unlisted(TomlValue& document);

/// The document as TOML. Reading it gives the same tree (but for the lines).
std::string to_toml(const TomlValue& document);

}  // namespace harness
