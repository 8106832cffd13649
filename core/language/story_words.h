// Story words: the people, animals, things and words that stories and the questions about them
// draw from.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/training/task.h"

namespace headscope::language {

struct Person {
  std::string_view name, subject, owner, object;  // "Mia", "she", "her", "her"
};
constexpr Person girl(std::string_view name) { return {name, "she", "her", "her"}; }
constexpr Person boy(std::string_view name) { return {name, "he", "his", "him"}; }
inline constexpr std::array kGirls{girl("Anna"), girl("Mia"),  girl("Lucy"), girl("Sara"),
                                   girl("Emma"), girl("Nora"), girl("Ella"), girl("Rosa"),
                                   girl("Jane"), girl("Kate")};
inline constexpr std::array kBoys{boy("Tom"),  boy("Ben"),  boy("Max"),  boy("Leo"),  boy("Sam"),
                                  boy("Paul"), boy("Jack"), boy("Finn"), boy("Hugo"), boy("Carl")};

struct Animal {
  std::string_view one, many;
};
inline constexpr std::array kAnimals{Animal{"cat", "cats"},       Animal{"dog", "dogs"},
                                     Animal{"bird", "birds"},     Animal{"fox", "foxes"},
                                     Animal{"mouse", "mice"},     Animal{"horse", "horses"},
                                     Animal{"rabbit", "rabbits"}, Animal{"bear", "bears"},
                                     Animal{"duck", "ducks"},     Animal{"goat", "goats"}};

using Word = std::string_view;
inline constexpr std::array kThings{Word("ball"), Word("book"),  Word("key"),    Word("apple"),
                                    Word("hat"),  Word("cup"),   Word("flower"), Word("kite"),
                                    Word("drum"), Word("coin"),  Word("cake"),   Word("letter"),
                                    Word("lamp"), Word("stone"), Word("toy")};
inline constexpr std::array kPlaces{Word("garden"), Word("house"),   Word("river"),  Word("forest"),
                                    Word("school"), Word("kitchen"), Word("park"),   Word("shop"),
                                    Word("hill"),   Word("room"),    Word("street"), Word("lake")};
inline constexpr std::array kBoxes{Word("box"), Word("bag"), Word("basket"), Word("drawer"),
                                   Word("chest")};
inline constexpr std::array kColours{Word("red"),    Word("blue"),  Word("green"),
                                     Word("yellow"), Word("white"), Word("black")};
inline constexpr std::array kSizes{Word("small"), Word("big"),    Word("old"),
                                   Word("new"),   Word("little"), Word("tall")};
inline constexpr std::array kMoods{Word("happy"), Word("sad"),   Word("tired"), Word("hungry"),
                                   Word("angry"), Word("proud"), Word("cold")};
inline constexpr std::array kLooks{Word("fluffy"), Word("soft"), Word("warm"),
                                   Word("clean"),  Word("wet"),  Word("bright")};
inline constexpr std::array kActions{Word("sat"),    Word("slept"),  Word("ran"),
                                     Word("jumped"), Word("sang"),   Word("laughed"),
                                     Word("cried"),  Word("smiled"), Word("waited")};
/// Verbs with an object.
inline constexpr std::array kDeeds{Word("found"), Word("saw"),     Word("took"),  Word("wanted"),
                                   Word("liked"), Word("carried"), Word("washed")};
inline constexpr std::array kSyllables{Word("la"), Word("mi"), Word("do"), Word("re"),
                                       Word("fa"), Word("so"), Word("ti"), Word("ba"),
                                       Word("ko"), Word("zu"), Word("ne"), Word("po")};

/// One of a list.
template <typename List>
const auto& oneOf(const List& list, training::Draws& draws) {
  return list[static_cast<std::size_t>(draws.below(std::ssize(list)))];
}
/// The first entries of a list in random order: they differ.
template <std::size_t count, typename List>
auto someOf(const List& list, training::Draws& draws) {
  const std::vector<Index> order = draws.shuffled(std::ssize(list));
  std::array<typename List::value_type, count> some;
  for (std::size_t i = 0; i < count; ++i) some[i] = list[static_cast<std::size_t>(order[i])];
  return some;
}

inline const Person& anyone(training::Draws& draws) {
  return draws.chance(0.5) ? oneOf(kGirls, draws) : oneOf(kBoys, draws);
}
/// Two people with different names.
inline std::array<Person, 2> twoPeople(training::Draws& draws) {
  const Person& first = anyone(draws);
  for (;;) {
    if (const Person& second = anyone(draws); second.name != first.name) return {first, second};
  }
}

/// Appends the words of each part, which are separated by spaces.
inline void append(std::vector<Word>& words, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const std::size_t end = std::min(part.find(' '), part.size());
      words.push_back(part.substr(0, end));
      part.remove_prefix(std::min(end + 1, part.size()));
    }
  }
}

}  // namespace headscope::language
