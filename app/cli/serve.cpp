// The serve command: answers requests of another program, one JSON object a line, with the models
// that it was asked to open.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/utf8.h"
#include "core/formats/model_tensors.h"

namespace headscope::cli {
namespace {

/// The fields of every request; all others are flags of its command.
constexpr std::array<std::string_view, 3> kCommonFields{"id", "command", "model"};
/// Flags that are no fields: every answer is the JSON of one pass or experiment.
constexpr std::array<std::string_view, 5> kOwnFlags{"--help", "--json", "--jsonl", "--csv",
                                                    "--compare"};

/// "token_id" as "--token-id".
std::string flagOf(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

/// A text, or a number as a flag takes it.
std::string argumentOf(const std::string& field, const Json& value) {
  if (const std::string* text = value.text()) return *text;
  if (value.number()) return value.dump();
  throw UserError(fmt::format("\"{}\" is {}: give a text, a number, a list of them, or true", field,
                              excerpt(value.dump(), 40)));
}

/// Appends a field of a request as a command's flag. A list stands as "--ids=1,2", as two
/// arguments for the flag that takes two texts, or as one flag for each of its values.
void addFlag(std::vector<std::string>& arguments, const CLI::App& command, const std::string& field,
             const Json& value) {
  const std::string flag = flagOf(field);
  const CLI::Option* option = command.get_option_no_throw(flag);
  if (option == nullptr || std::ranges::find(kOwnFlags, flag) != kOwnFlags.end()) {
    throw UserError(
        fmt::format("\"{}\" is no field of the command \"{}\": the flags of 'headscope "
                    "{} --help' are its fields",
                    field, command.get_name(), command.get_name()));
  }
  if (value.isNull()) return;
  if (const bool* on = value.flag()) {
    if (*on) arguments.push_back(flag);
    return;
  }
  const Json::List* list = value.list();
  if (list == nullptr) {
    arguments.push_back(flag + "=" + argumentOf(field, value));
    return;
  }
  if (list->empty()) return;
  std::vector<std::string> values;
  for (const Json& each : *list) values.push_back(argumentOf(field, each));
  if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll) {
    for (const std::string& each : values) arguments.push_back(flag + "=" + each);
  } else if (option->get_items_expected_min() > 1) {
    arguments.push_back(flag);
    arguments.insert(arguments.end(), values.begin(), values.end());
  } else {
    arguments.push_back(fmt::format("{}={}", flag, fmt::join(values, ",")));
  }
}

/// The models of one client, and its requests.
class Server {
 public:
  /// Answers a line. Throws nothing: an answer may be an error.
  std::string answerTo(const std::string& line) {
    Json id;
    try {
      const Json request = requestFrom(line);
      if (const Json* given = request.find("id")) id = *given;
      return Json{{"id", id}, {"result", resultOf(request)}}.dump();
    } catch (const CLI::ParseError& error) {
      return errorLine(id, withoutGuards(error.what()));
    } catch (const UserError& error) {
      return errorLine(id, error.what());
    } catch (const std::exception& error) {
      return errorLine(id, sentenceFor(error));
    }
  }

 private:
  static std::string errorLine(const Json& id, const std::string& sentence) {
    return Json{{"id", id}, {"error", sentence}}.dump();
  }

  static Json requestFrom(const std::string& line) {
    try {
      Json request = parseJson(line);
      if (request.fields() != nullptr) return request;
    } catch (const JsonError& error) {
      throw UserError(fmt::format("the request is not JSON on one line: {}", error.what()));
    }
    throw UserError("the request is no object: send {\"id\": 1, \"command\": \"open\", …}");
  }

  Json resultOf(const Json& request) {
    const Json* command = request.find("command");
    if (command == nullptr || command->text() == nullptr) {
      throw UserError("\"command\" is missing: name one, as in {\"command\": \"open\"}");
    }
    if (*command->text() == "open") return open(request);
    if (*command->text() == "close") return close(request);
    return run(*command->text(), request);
  }

  Json open(const Json& request) {
    const Json* folder = request.find("folder");
    if (folder == nullptr || folder->text() == nullptr) {
      throw UserError("\"folder\" is missing: open needs the model's folder");
    }
    const Json* strict = request.find("strict");
    const auto model =
        context_.models.model(adaptedFolderFrom(*folder->text(), {}), defaultMemoryBudget() / 2,
                              strict != nullptr && strict->flag() != nullptr && *strict->flag());
    folders_[++opened_] = *folder->text();
    Json result{{"model", opened_}, {"config", formats::configJson(*model)}};
    addNotes(result, model->notes());
    return result;
  }

  Json close(const Json& request) {
    const std::string folder = folderOf(request);
    folders_.erase(*request.find("model")->whole());
    const bool used = std::ranges::any_of(
        folders_, [&](const auto& numbered) { return numbered.second == folder; });
    if (!used) context_.models.close(folder);
    return Json::emptyObject();
  }

  const std::string& folderOf(const Json& request) const {
    const Json* model = request.find("model");
    const auto number = model == nullptr ? std::nullopt : model->whole();
    if (!number) {
      throw UserError("\"model\" is missing: give the number that \"open\" answered");
    }
    const auto found = folders_.find(*number);
    if (found == folders_.end()) {
      throw UserError(
          fmt::format("no model {} is open: give a number that \"open\" answered", *number));
    }
    return found->second;
  }

  Json run(const std::string& name, const Json& request) {
    CLI::App app;
    const std::vector<Command> commands = addModelCommands(app, context_);
    const auto chosen = std::ranges::find_if(
        commands, [&](const Command& c) { return c.app->get_name() == name && c.json; });
    if (chosen == commands.end()) {
      std::string names;
      for (const Command& each : commands) {
        if (each.json) names += ", \"" + each.app->get_name() + "\"";
      }
      throw UserError(fmt::format("\"{}\" is no command: send \"open\", \"close\"{}", name, names));
    }
    std::vector<std::string> arguments{name, folderOf(request)};
    for (const auto& [field, value] : *request.fields()) {
      if (std::ranges::find(kCommonFields, field) == kCommonFields.end()) {
        addFlag(arguments, *chosen->app, field, value);
      }
    }
    keepTextsUnchanged(app);
    app.parse(guardedArguments(arguments));
    return chosen->json();
  }

  Context context_;  // without the standard input, which carries requests
  std::map<Index, std::string> folders_;
  Index opened_ = 0;
};

void serve(std::istream& in, std::ostream& out) {
  Server server;
  for (std::string line; std::getline(in, line);) {
    out << server.answerTo(line) << '\n' << std::flush;
    if (!out) return;  // the caller reports it
  }
}

}  // namespace

Command addServe(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "serve", "answers another program's requests about models, one JSON object a line");
  auto stdio = std::make_shared<bool>(false);
  sub->add_flag("--stdio", *stdio,
                "read requests from the standard input, answer on the standard output")
      ->required();
  return {sub, [&context, stdio](std::ostream& out) { serve(*context.in, out); }};
}

}  // namespace headscope::cli
