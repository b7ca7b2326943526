// Changes a TOML tree before it is read (overrides from the command line), and writes it as text again.
#pragma once

#include <string>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/files/toml_value.h"

namespace harness {

/// Applies "KEY=VALUE": sets the value of a dotted key in `document` (a table) and makes missing tables.
/// "fault.NAME.KEY" sets KEY in every [[fault]] of that name; "trace.NAME.streams.N.KEY" sets KEY in class N,
/// from 0, of [[trace.NAME.streams]]. If a [[sweep]] has the key, VALUE replaces the values of the sweep
/// instead. VALUE is TOML; a bare word counts as text. Throws InputError that names --set.
void apply_override(TomlValue& document, const std::string& override_text);

/// Returns the member `name` of `table`; makes an empty table if it is missing. Members stay sorted by name.
TomlValue& member_to_set(TomlTable& table, const std::string& name);

/// Returns the array of tables of that name at the top level, or null.
TomlArray* tables_of(TomlValue& document, const std::string& key);
/// Returns the text of a table's key; "" if it has no such key or another value.
std::string text_member(const TomlValue& table, const std::string& key);

/// Returns the class of streams that `part`, the N of a key trace.NAME.streams.N.KEY, names: an index below
/// `classes`. Throws InputError for `place` if there is no such class.
std::size_t class_of_part(const InputPlace& place, const std::string& part, std::size_t classes);

/// If --set gave a list of pipelines or traces, removes what that list leaves unused: [trace.NAME] tables of
/// the file, names in the `only` of a [[system]], and each [[system]] that has then no name in its `only`.
void drop_unlisted(TomlValue& document);

/// Returns the document as TOML text. Reading the text gives the same tree (but for the line numbers).
std::string to_toml(const TomlValue& document);

}  // namespace harness
