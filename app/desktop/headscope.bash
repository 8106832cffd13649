# Completes headscope's commands, flags and their values in bash: all from what --help says.
_headscope() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local -a commands
  mapfile -t commands < <("$program" --help 2>/dev/null |
    awk '/^[A-Z]/ { inside = /^Subcommands:/; next } inside && /^  [a-z]/ { print $1 }')
  local command="" other
  for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ " ${commands[*]} " == *" $other "* ]]; then
      command=$other
      break
    fi
  done
  # "--flag VALUE   what it does": the flags, each with what its value is called
  local flags
  # shellcheck disable=SC2086
  flags=$("$program" $command --help 2>/dev/null |
    sed -nE 's/^ +(-[^ ,]+,)?(--[a-z-]+) ?(.*)$/\2 \3/p')
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $1 }' <<<"$flags")" -- "$word")
    return
  fi
  local value
  value=$(awk -v flag="$before" '$1 == flag { print $2; exit }' <<<"$flags")
  case $value in
    *:{*}) # TEXT:{light,dark}
      value=${value##*:\{}
      mapfile -t COMPREPLY < <(compgen -W "$(tr ',' ' ' <<<"${value%\}*}")" -- "$word")
      ;;
    DIR*) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *)
      [[ -n $command ]] || mapfile -t COMPREPLY < <(compgen -W "${commands[*]}" -- "$word")
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
      ;;
  esac
}
complete -F _headscope headscope
