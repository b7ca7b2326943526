// Changes a TOML tree before it is read (overrides from the command line), and writes it as text again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/files/toml_tree.h"

namespace harness {

/// Applies "KEY=VALUE": sets the value under a dotted key of `document` (a table), and makes tables as
/// needed. "fault.NAME.KEY" sets it in every [[fault]] of that name, "trace.NAME.streams.N.KEY" in class N of
/// its [[trace.NAME.streams]]. If the document has a [[sweep]] of the key, VALUE replaces its values instead.
/// VALUE is TOML; a bare word counts as text. Throws InputError that names --set.
void apply_override(TomlValue& document, const std::string& override_text);

/// Returns the table's member of that name and makes it if it is missing; names stay in the parser's order.
TomlValue& member_to_set(TomlTable& table, const std::string& name);

/// Returns the index (from 0, below `classes`) of the class of streams that the part N of a key
/// trace.NAME.streams.N.KEY means. Throws InputError at `place` if there is no such class.
std::size_t class_of_part(const InputPlace& place, const std::string& part, std::size_t classes);

/// Removes what a list of pipelines or traces given by --set leaves without use: the file's [trace.NAME]
/// tables, names in `only` of a [[system]], and each [[system]] whose `only` then has no name left.
void drop_unlisted(TomlValue& document);

/// Returns the document as TOML text. Reading the text gives the same tree (but for the line numbers).
std::string to_toml(const TomlValue& document);

}  // namespace harness
