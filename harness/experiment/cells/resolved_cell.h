// A stage of a cell: its settings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/loaded_inputs.h"
#include "harness/experiment/cells/memo.h"
#include "harness/experiment/reading/cell.h"

namespace harness {

/// The settings that are meant: the cell's own (kOwn); the ones that its load is relative to (kShared,
/// shared_settings_of()); the latter with the whole cluster's workers from the start (kReference).
enum class SettingsScope { kOwn, kShared, kReference };

struct CommonSettings;

/// A cell with its settings in a scope. It stays valid until the next cell is prepared.
struct ResolvedCell {
  LoadedInputs& inputs;
  SettingsScope scope = SettingsScope::kOwn;
  const Cell& cell;
  const Pipeline& pipeline;
  const CommonSettings& common;
  const Settings& settings;  ///< CommonSettings::settings
  TimeNs slo_ns = 0;
};

/// The parts that cells have in common if they differ only in rate, seed and SLO: an experiment may have many
/// seeds.
struct CommonSettings {
  Settings settings;
  std::size_t number = 0;          ///< number that no other has had
  std::string trace_text;          ///< trace_text() of the settings
  std::size_t trace = 0;           ///< number of that text; equal texts have one number
  std::size_t planning = 0;        ///< number of planning_text(), likewise
  CellTextTemplate frame;          ///< cell_frame() of kOwn
  TimeNs shortest_service_ns = 0;  ///< shortest_service_ns() of kShared, for cells with an slo_factor
};

/// Makes the settings of cells.
class CellResolver {
 public:
  explicit CellResolver(LoadedInputs& inputs) : inputs_(inputs) {}

  ResolvedCell of(const Cell& cell, SettingsScope scope);
  /// Forgets all settings if there are too many. Called before a cell is prepared.
  void limit();

 private:
  struct Key {
    SettingsScope scope;
    Runtime runtime;
    std::size_t pipeline;
    std::size_t trace;
    std::size_t system;
    std::vector<std::size_t> swept;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  /// Returns the number of the text, the same whenever it is asked for.
  std::size_t number_of(std::string text);
  CommonSettings made(const Cell& cell, SettingsScope scope);

  LoadedInputs& inputs_;
  Memo<Key, CommonSettings> known_;
  std::map<std::string, std::size_t> texts_;  ///< numbers by text; they stay after limit()
  std::size_t made_ = 0;
};

}  // namespace harness
