#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

namespace headscope::cli {
namespace {

constexpr char kGuard = '\x1f';
/// First characters of texts that CLI11 interprets: lists, "{}" and "%%". The guard is one of them,
/// so that an argument that begins with it is preserved.
constexpr std::string_view kGuarded = "[{%\x1f";

/// The start of the value in an argument: after the "=" of "--flag=value", else 0.
std::size_t valueOf(std::string_view argument) {
  if (!argument.starts_with("--")) return 0;
  const std::size_t equals = argument.find('=');
  return equals == std::string_view::npos ? 0 : equals + 1;
}

std::string guarded(std::string argument) {
  const std::size_t value = valueOf(argument);
  const bool emptied = value > 0 && value == argument.size();
  if (emptied || (value < argument.size() && kGuarded.find(argument[value]) != kGuarded.npos)) {
    argument.insert(value, 1, kGuard);
  }
  return argument;
}

/// Removes the guard from a value. CLI11 passes an option a whole argument or the part after its
/// "=".
std::string unguarded(std::string value) {
  const std::size_t at = value.starts_with(kGuard) ? 0 : valueOf(value);
  if (at < value.size() && value[at] == kGuard) value.erase(at, 1);
  return value;
}

}  // namespace

std::vector<std::string> guardedArguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed;
  std::transform(arguments.rbegin(), arguments.rend(), std::back_inserter(reversed), guarded);
  return reversed;
}

void keepTextsUnchanged(CLI::App& app) {
  app.allow_windows_style_options(false);
  for (CLI::Option* option : app.get_options()) {
    option->transform([](std::string value) { return unguarded(std::move(value)); });
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    keepTextsUnchanged(*command);
  }
}

std::string withoutGuards(std::string message) {
  std::erase(message, kGuard);
  return message;
}

}  // namespace headscope::cli
