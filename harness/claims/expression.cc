#include "harness/claims/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/claims/result_rows.h"
#include "harness/core/wording.h"

namespace harness {
namespace {

constexpr int kMaxDepth = 100;     // nested parentheses and signs
constexpr int kMaxTerms = 1000;    // bounds the depth of recursion over the tree, too
constexpr int kMaxReductions = 4;  // nested reductions: each computes its argument once per value

constexpr std::string_view kPlan = "plan";

struct Word {
  const char* text;
  Operation operation;
};
constexpr Word kFunctions[] = {{"min", Operation::kMin},      {"max", Operation::kMax},
                               {"abs", Operation::kAbs},      {"mean", Operation::kMean},
                               {"sum", Operation::kSum},      {"argmin", Operation::kArgMin},
                               {"argmax", Operation::kArgMax}};
constexpr Word kComparisons[] = {{"<=", Operation::kLessEqual},
                                 {">=", Operation::kGreaterEqual},
                                 {"<", Operation::kLess},
                                 {">", Operation::kGreater}};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/// Returns the largest number of reductions nested within each other, this one included.
int nested_reductions(const Expression& expression) {
  int within = 0;
  for (const Expression& argument : expression.arguments)
    within = std::max(within, nested_reductions(argument));
  return within + (expression.over.empty() ? 0 : 1);
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  Parser(const InputPlace& place, std::string_view text, const Vocabulary& vocabulary)
      : place_(place), text_(text), vocabulary_(vocabulary) {}

  Expression whole() {
    Expression result = expression();
    if (at_ < text_.size()) fail("an operator or the end");
    if (!minutes_.empty()) {
      at_ = minutes_.front();
      fail("minutes within a reduction such as max(... over minute)");
    }
    return result;
  }

 private:
  Expression expression() {
    Expression left = sum();
    for (const Word& word : kComparisons) {
      if (!take(word.text)) continue;
      left = joined(word.operation, std::move(left), sum());
      if (!rest().empty() && (rest()[0] == '<' || rest()[0] == '>')) fail("one comparison (use parentheses)");
      break;
    }
    return left;
  }

  Expression sum() {
    Expression left = product();
    while (true) {
      if (take("+")) {
        left = joined(Operation::kAdd, std::move(left), product());
      } else if (take("-")) {
        left = joined(Operation::kSubtract, std::move(left), product());
      } else {
        return left;
      }
    }
  }

  Expression product() {
    Expression left = factor();
    while (true) {
      if (take("*")) {
        left = joined(Operation::kMultiply, std::move(left), factor());
      } else if (take("/")) {
        left = joined(Operation::kDivide, std::move(left), factor());
      } else {
        return left;
      }
    }
  }

  Expression factor() {
    if (++terms_ > kMaxTerms)
      fail("at most " + std::to_string(kMaxTerms) + " numbers, metrics and functions");
    if (++depth_ > kMaxDepth)
      fail("at most " + std::to_string(kMaxDepth) + " signs and parentheses within each other");
    Expression result;
    skip_space();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (take("-")) {
      result.operation = Operation::kNegate;
      result.arguments.push_back(factor());
    } else if (take("(")) {
      result = expression();
      require(")");
    } else if ((c >= '0' && c <= '9') || c == '.') {
      result.number = number();
    } else if (is_name(c)) {
      result = named();
    } else {
      fail("a number, a metric such as drop_rate[pard], a function or \"(\"");
    }
    --depth_;
    return result;
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  Expression named() {
    const std::size_t begin = at_;
    std::string name = take_name();
    if (take("(")) return function(name, begin);
    const bool is_of_plan = name == kPlan && take(".");
    const bool is_of_minutes = name == kMinute && take(".");
    if (is_of_plan) name = plan_column();
    if (is_of_minutes) name = minute_column(begin);
    if (!take("["))
      fail("\"[\" with a configuration after the metric " + name + ", or \"(\" after a function");
    if (!is_of_plan && !is_of_minutes) require_metric(name, begin);
    Expression metric;
    metric.operation = Operation::kMetric;
    metric.column = name;
    series(metric);
    while (take(",")) metric.selectors.push_back(selector(metric));
    require("]");
    metric.text = text_.substr(begin, at_ - begin);
    return metric;
  }

  /// Reads the part after "plan.": MODULE.COLUMN.
  std::string plan_column() {
    const std::string module = quoted_or_plain(".[", "a module and a column of its plan");
    require(".");
    return std::string(kPlan) + "." + module + "." + take_known("column of a plan", plan_columns());
  }

  /// Reads the part after "minute.": COLUMN. The metric begins at `metric`.
  std::string minute_column(std::size_t metric) {
    minutes_.push_back(metric);
    return std::string(kMinute) + "." + take_known("column of minutes", minute_columns());
  }

  std::string take_known(const char* what, const std::vector<std::string>& known) {
    const std::size_t begin = at_;
    std::string name = take_name();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      at_ = begin;
      fail_unknown(what, name, known);
    }
    return name;
  }

  Expression function(const std::string& name, std::size_t begin) {
    const std::size_t outside = minutes_.size();
    const auto* known = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const Word& word) { return name == word.text; });
    if (known == std::end(kFunctions)) {
      std::vector<std::string> names;
      for (const Word& word : kFunctions) names.emplace_back(word.text);
      at_ = begin;
      fail("one of the functions " + join_names(names));
    }
    Expression call;
    call.operation = known->operation;
    const bool extreme = call.operation == Operation::kMin || call.operation == Operation::kMax;
    do {
      call.arguments.push_back(expression());
    } while (extreme && take(","));
    if (call.operation != Operation::kAbs && call.arguments.size() == 1 && take_over()) {
      call.over = quoted_or_plain("),", "the key to reduce over, such as pard.lambda or load");
      if (nested_reductions(call) > kMaxReductions)
        fail("at most " + std::to_string(kMaxReductions) + " of \"over KEY\" within each other");
      if (call.over == kMinute) minutes_.resize(outside);
    } else if (call.operation != Operation::kAbs && !extreme) {
      fail("\"over KEY\" in " + name + "(...)");
    }
    require(")");
    return call;
  }

  void series(Expression& metric) {
    const std::size_t begin = at_;
    const std::string system = quoted_or_plain("/,]", "a configuration such as pard or pard/back");
    const std::string variant = take("/")       ? quoted_or_plain(",]", "a variant")
                                : system == "*" ? "*"
                                                : "default";
    const std::vector<std::string>& systems = vocabulary_.systems;
    if (system != "*" && !systems.empty() &&
        std::find(systems.begin(), systems.end(), system) == systems.end()) {
      at_ = begin;
      fail_unknown("system", system, systems);
    }
    if (system != "*") metric.selectors.push_back({"system", {system, std::nullopt}});
    if (variant != "*") metric.selectors.push_back({"variant", {variant, std::nullopt}});
  }

  /// Reads KEY=VALUE. A key that is no column and has no dot is a parameter of the series' system.
  Selector selector(const Expression& metric) {
    const std::size_t begin = at_;
    std::string key = quoted_or_plain("=,]", "KEY=VALUE");
    require("=");
    const std::string value = quoted_or_plain(",]", "a value");
    const std::vector<std::string> columns = selecting_columns();
    const bool column = std::find(columns.begin(), columns.end(), key) != columns.end();
    if (!column && key.find('.') == std::string::npos) {
      if (metric.selectors.empty() || metric.selectors.front().key != "system") {
        at_ = begin;
        fail_unknown("column", key, columns);
      }
      key = metric.selectors.front().value.text + "." + key;
    }
    return {key, field_value(value)};
  }

  void require_metric(const std::string& name, std::size_t begin) {
    const std::vector<std::string> known = numeric_columns();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    at_ = begin;
    fail_unknown("column", name, known);
  }

  static Expression joined(Operation operation, Expression left, Expression right) {
    Expression result;
    result.operation = operation;
    result.arguments.push_back(std::move(left));
    result.arguments.push_back(std::move(right));
    return result;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  std::string_view rest() {
    skip_space();
    return text_.substr(at_);
  }
  bool take(std::string_view symbol) {
    if (!rest().starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  bool take_over() {
    constexpr std::string_view kOver = "over";
    const std::string_view next = rest();
    if (!next.starts_with(kOver) || (next.size() > kOver.size() && is_name(next[kOver.size()]))) return false;
    at_ += kOver.size();
    return true;
  }
  void require(const char* symbol) {
    if (!take(symbol)) fail(std::string("\"") + symbol + "\"");
  }
  std::string take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// Reads text up to one of `ends`, without spaces around it, or any text in single quotes.
  std::string quoted_or_plain(std::string_view ends, const std::string& allowed) {
    const bool quoted = take("'");
    skip_space();
    const std::size_t begin = at_;
    const std::size_t end = quoted ? text_.find('\'', at_) : text_.find_first_of(ends, at_);
    if (end == std::string_view::npos) fail(quoted ? "a closing '" : allowed);
    std::string_view found = text_.substr(begin, end - begin);
    while (!found.empty() && is_space(found.back())) found.remove_suffix(1);
    if (found.empty()) fail(allowed);
    at_ = quoted ? end + 1 : end;
    return std::string(found);
  }

  [[noreturn]] void fail(const std::string& allowed) {
    const std::string_view next = rest();
    const std::string found = next.empty() ? "the end" : "\"" + std::string(next.substr(0, 24)) + "\"";
    throw input_error(place_, found + " at character " + std::to_string(at_ + 1), allowed);
  }
  [[noreturn]] void fail_unknown(const std::string& what, const std::string& name,
                                 const std::vector<std::string>& known) {
    const std::string nearest = nearest_name(name, known);
    throw input_error(place_,
                      "an unknown " + what + " '" + name + "' at character " + std::to_string(at_ + 1),
                      join_names(known) + (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)"));
  }

  const InputPlace& place_;
  std::string_view text_;
  const Vocabulary& vocabulary_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int terms_ = 0;
  /// Places in the text of metrics of minutes that are in no reduction over minutes so far.
  std::vector<std::size_t> minutes_;
};

/// True if the name of some metric in the expression begins with `of` and a dot.
bool reads(const Expression& expression, std::string_view of) {
  return expression.column.starts_with(std::string(of) + ".") ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [&](const Expression& argument) { return reads(argument, of); });
}

}  // namespace

bool reads_plans(const Expression& expression) { return reads(expression, kPlan); }

bool reads_minutes(const Expression& expression) { return reads(expression, kMinute); }

bool reduces_over(const Expression& expression, std::string_view key) {
  return expression.over == key ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [&](const Expression& argument) { return reduces_over(argument, key); });
}

bool is_discrete(const Expression& expression) {
  switch (expression.operation) {
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
    case Operation::kArgMin:
    case Operation::kArgMax:
      return true;
    default:
      return std::ranges::any_of(expression.arguments, is_discrete);
  }
}

bool is_yes_or_no(const Expression& expression) {
  switch (expression.operation) {
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
      return true;
    case Operation::kMultiply:
    case Operation::kMin:
    case Operation::kMax:
      return std::ranges::all_of(expression.arguments, is_yes_or_no);
    default:
      return false;
  }
}

Expression parse_expression(const InputPlace& place, std::string_view text, const Vocabulary& vocabulary) {
  return Parser(place, text, vocabulary).whole();
}

}  // namespace harness
