"""`knockbox completion`: commands, options and names by Tab."""

from typing import Literal

from arena.cli import output

Shell = Literal["bash", "zsh", "fish"]

HOW = {
    "bash": "knockbox completion bash > ~/.local/share/bash-completion/completions/knockbox",
    "zsh": "knockbox completion zsh > ~/.zfunc/_knockbox   (and in .zshrc: fpath+=~/.zfunc)",
    "fish": "knockbox completion fish > ~/.config/fish/completions/knockbox.fish",
}

# The first column of a list in a pipe is its names: every command on bots or tournaments that is
# not about new ones takes one.
NAMES = {
    "bash": r"""
_knockbox_names() {
  _knockbox
  [[ ${#COMPREPLY[@]} -gt 0 || $COMP_CWORD -ne 3 ]] && return
  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
    *" add"|*" create"|*" list") ;;
    "bot "*|"tournament "*)
      COMPREPLY=($(compgen -W "$(knockbox "${COMP_WORDS[1]}" list 2>/dev/null \
        | tail -n +2 | cut -d ' ' -f 1)" -- "${COMP_WORDS[3]}")) ;;
  esac
}
complete -F _knockbox_names knockbox
""",
    "zsh": "",
    "fish": r"""
for about in bot tournament
    complete -c knockbox -f -n "__fish_seen_subcommand_from $about; \
        and not __fish_seen_subcommand_from add create list; \
        and test (count (commandline -opc)) -eq 3" \
        -a "(knockbox $about list 2>/dev/null | tail -n +2 | string split -f 1 ' ')"
end
""",
}


def completion(shell: Shell, /) -> None:
    """Print what makes your shell complete commands and options by Tab; names too, but in zsh.

    It is made of the commands as they are now: print it again after an update.

    Example: knockbox completion bash > ~/.knockbox-completion
    """
    from arena.cli.app import make_app

    print(make_app(plain=True).generate_completion(shell=shell).rstrip())
    print(NAMES[shell].rstrip(), flush=True)
    output.next_step(HOW[shell], "then begin a new shell")
