# bash completion of iii-directory; made by `iii-directory completion bash`.
_iii_directory() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local verb=${COMP_WORDS[1]} options= words= kind=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'serve mcp list ls show why explain index search prompts prompt registry watch doctor add install remove update outdated verify restore diff new trigger workers functions triggers config backup completion version help --help --version --url --config --token --log-level' -- "$current"))
    return
  fi
  case $verb in
    serve) options='--host --port --http-port --data --repair-data --config --skills --extra-skills --auto-download --token --allow-origin --expand-env --no-console --engine-only --no-worker-manager --no-state --local-dispatch --limit --log-level --log-format --help' ;;
    mcp) options='--url --token --config --skills --extra-skills --tools --print-config --log-level --help' ;;
    list|ls) options='--search --kind --type --user-only --limit --all --json --color --url --token --config --skills --help' kind=skills ;;
    show) options='--raw --file --files --risks --json --color --url --token --config --skills --help' kind=skills ;;
    why|explain) options='--json --color --url --token --config --skills --help' kind=skills ;;
    index) options='--raw --json --color --url --token --config --skills --help' kind=skills ;;
    search) options='--limit --json --color --url --token --config --skills --help' ;;
    prompts) options='--json --color --url --token --config --skills --help' ;;
    prompt) options='--raw --json --color --url --token --config --skills --help' kind=prompts ;;
    registry) options='--tag --raw --json --color --url --token --config --skills --help' words='search info' ;;
    watch) options='--count --json --color --url --token --config --skills --help' kind=skills ;;
    doctor) options='--fix --json --code --severity --prefix --all --color --url --token --config --skills --help' ;;
    add|install) options='--tag --repo --skill --path --as --list --all --ref --frozen --force --yes --accept-risks --json --color --url --token --config --skills --help' ;;
    remove) options='--force --yes --json --color --url --token --config --skills --help' kind=namespaces ;;
    update) options='--force --yes --json --color --url --token --config --skills --help' kind=namespaces ;;
    outdated) options='--json --color --url --token --config --skills --help' kind=namespaces ;;
    verify) options='--json --color --url --token --config --skills --help' kind=namespaces ;;
    restore) options='--force --yes --json --color --url --token --config --skills --help' kind=namespaces ;;
    diff) options='--file --json --color --url --token --config --skills --help' kind=namespaces ;;
    new) options='--title --description --local --json --color --config --skills --help' words='skill prompt' ;;
    trigger) options='--json --url --address --port --timeout-ms --namespace --token --stack --function-id --payload --help' kind=functions ;;
    workers) options='--json --color --url --token --help' ;;
    functions) options='--internal --json --color --url --token --config --skills --help' kind=functions ;;
    triggers) options='--types --json --color --url --token --help' ;;
    config) options='--json --markdown --config --skills --help' words='get set path check' kind=keys ;;
    backup) options='--data --url --token --json --help' ;;
    completion) options='--help' words='bash zsh fish' ;;
    version) options='--url --token --json --help' ;;
    help) options='--write --help' words='serve mcp list ls show why explain index search prompts prompt registry watch doctor add install remove update outdated verify restore diff new trigger workers functions triggers config backup completion version help' ;;
  esac
  case $verb:$previous in
    serve:--log-level) COMPREPLY=($(compgen -W 'debug info warn error off' -- "$current")); return ;;
    serve:--log-format) COMPREPLY=($(compgen -W 'text json' -- "$current")); return ;;
    mcp:--print-config) COMPREPLY=($(compgen -W 'claude-code claude-desktop cursor vscode codex gemini zed windsurf generic' -- "$current")); return ;;
    mcp:--log-level) COMPREPLY=($(compgen -W 'debug info warn error off' -- "$current")); return ;;
    list:--kind) COMPREPLY=($(compgen -W 'skill reference readme' -- "$current")); return ;;
    list:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    show:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    why:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    index:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    search:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    prompts:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    prompt:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    registry:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    watch:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    doctor:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    add:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    remove:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    update:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    outdated:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    verify:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    restore:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    diff:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    new:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    workers:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    functions:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    triggers:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    *:--config|*:--path|*:--file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--skills|*:--extra-skills|*:--data) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $words ]] && ((COMP_CWORD == 2)); then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ -n $kind ]] && { [[ -z $words ]] || ((COMP_CWORD == 3)); }; then
    local IFS=$'\n'
    COMPREPLY=($(iii-directory __complete "$kind" "$current" 2>/dev/null))
    type __ltrim_colon_completions >/dev/null 2>&1 && __ltrim_colon_completions "$current"
  elif [[ -z $words ]]; then
    compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _iii_directory iii-directory
