// The keys of an experiment file that are in tables whose fields are no parameters, for checks and
// documentation.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// A key of such a table.
struct PlainKey {
  const char* table;  ///< name of the table; "" for the top level
  const char* name;
  const char* standard;  ///< default value
  const char* allowed;
  const char* doc;
};
const std::vector<PlainKey>& plain_keys();
/// Returns the names of the keys of one table.
std::vector<std::string> plain_keys_of(const std::string& table);

}  // namespace harness
