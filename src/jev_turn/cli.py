"""The command line; each command's body lives in a module of its own."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from jev_turn.calls.app import app as calls
from jev_turn.errors import JevTurnError
from jev_turn.streams import standard_streams

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 120

app = typer.Typer(
    name="jev-turn",
    help="Turn-taking for voice agents, decided by TypeSafe's Jev.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.add_typer(calls, name="calls")

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A setting, such as turn.cap_ms=4000; may be repeated."
    ),
]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="A policy file of your own.")
]
Preset = Annotated[str | None, typer.Option(help="A named group of settings, such as telephone.")]
Mode = Literal["duplex", "finish-turn"]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show Pipecat's own log too.")]


def main() -> None:
    """Run a command; an error of ours is one line and exit status 2."""
    standard_streams()
    try:
        app()
    except JevTurnError as error:
        print(f"jev-turn: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    finally:
        sys.stdout.flush()


@app.callback()
def _commands() -> None:
    """Keep the names of commands even while there is only one."""


@app.command("demo")
def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait: run in virtual time.")] = False,
    wav: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Let the microphone hear this recording. Faint room noise is mixed in, because "
            "digital silence counts as a stalled microphone.",
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write one JSON object per call, a line each."),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for records and pictures.")
    ] = Path("demo"),
    only: Annotated[str, typer.Option(metavar="NAME", help="Play this conversation alone.")] = "",
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="embedded, typesafe or silence. Without it: Jev if TYPESAFE_API_KEY is set, else the embedded judge.",
        ),
    ] = None,
    sets: Sets = None,
    policy: PolicyFile = None,
    preset: Preset = None,
    verbose: Verbose = False,
) -> None:
    """Hold conversations through a whole bot and tell of every decision; 1 if a promise breaks."""
    quiet_logs(verbose)
    from jev_turn.demo.command import Options
    from jev_turn.demo.command import demo as run
    from jev_turn.policy import load_policy

    settings = load_policy(file=policy, sets=sets or (), preset=preset)
    options = Options(settings, out, fast, wav, json_file, only, judge)
    raise typer.Exit(0 if run(options, _console()) else 1)


@app.command("play")
def play(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Cases, as JSON.")],
    judge: Annotated[
        str, typer.Option(metavar="NAME", help="embedded, typesafe or recorded:FILE.")
    ] = "embedded",
    stt_lag: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="The recogniser's lag.")
    ] = 0.3,
    judge_latency: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="The judge's, where a case has none.")
    ] = 0.15,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Cases whose id holds this.")] = "",
    mode: Annotated[Mode, typer.Option(help="Of the cases that name none.")] = "duplex",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per case.")
    ] = False,
    sets: Sets = None,
    policy: PolicyFile = None,
    preset: Preset = None,
    verbose: Verbose = False,
) -> None:
    """Play cases through the same processors in virtual time; 1 if one fails."""
    quiet_logs(verbose)
    from jev_turn.play.command import Options, play_file
    from jev_turn.policy import load_policy

    settings = load_policy(file=policy, sets=sets or (), preset=preset)
    options = Options(judge, stt_lag, judge_latency, only, as_json, settings, mode)
    raise typer.Exit(1 if play_file(file, options, _console()) else 0)


@app.command("soak")
def soak(
    turns: Annotated[
        int | None, typer.Option(min=1, help="How many turns; 1,000, or all of the call.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same calls.")] = 1,
    minutes: Annotated[float, typer.Option(min=0, help="No call begins after this time.")] = 10.0,
    call: Annotated[
        int | None,
        typer.Option(min=0, metavar="K", help="Play this call alone, and show all of it."),
    ] = None,
    words: Annotated[bool, typer.Option("--words", help="Show what was said.")] = False,
    mode: Annotated[Mode, typer.Option(help="How turns are taken.")] = "duplex",
    kill: Annotated[
        bool, typer.Option("--kill", help="Finish-turn: in processes that are killed.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="Finish-turn: a folder or a postgresql:// URL."),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Hold random conversations and account for every word from outside; 1 if one is missing."""
    quiet_logs(verbose)
    if mode == "finish-turn":
        from jev_turn.play.ft_command import finish_turn_soak

        run = partial(finish_turn_soak, kill=kill, store=store, minutes=minutes, call=call)
        raise typer.Exit(run(turns, seed, console=_console()))
    if kill or store:
        raise typer.BadParameter("--kill and --store need --mode finish-turn")
    from jev_turn.play.soak_command import soak_command

    raise typer.Exit(
        soak_command(turns, seed, minutes=minutes, call=call, words=words, console=_console())
    )


@app.command("bench")
def bench(
    cpu: Annotated[
        bool, typer.Option("--cpu", help="The machine, the gate and both processors in a call.")
    ] = False,
    calls: Annotated[
        int, typer.Option(min=0, help="So many calls at once, with one account's judge of 150 ms.")
    ] = 0,
    latency: Annotated[
        bool,
        typer.Option("--latency", help="End of turn to model and audio, beside a plain bot."),
    ] = False,
    sets: Sets = None,
    policy: PolicyFile = None,
    preset: Preset = None,
    verbose: Verbose = False,
) -> None:
    """Measure what calls cost against their limits; 1 if something is over."""
    if not (cpu or calls or latency):
        raise typer.BadParameter("say what to measure: --cpu, --calls 50, --latency")
    quiet_logs(verbose)
    from jev_turn.bench.calls import bench_calls
    from jev_turn.bench.cpu import bench_cpu
    from jev_turn.bench.latency import bench_latency
    from jev_turn.policy import load_policy

    settings = load_policy(file=policy, sets=sets or (), preset=preset)
    ok = not cpu or bench_cpu(settings, _console())
    ok = (not calls or bench_calls(settings, calls, _console())) and ok
    ok = (not latency or bench_latency(settings, _console())) and ok
    raise typer.Exit(0 if ok else 1)


@app.command("serve")
def serve(
    bot_file: Annotated[
        Path, typer.Argument(metavar="BOTFILE", help="A file with `async def bot(runner_args)`.")
    ],
    host: Annotated[
        str, typer.Option(help="Where to listen. Other than loopback needs JEV_SERVER_TOKEN.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 7860,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show Pipecat's log too: it holds words.")
    ] = False,
) -> None:
    """Serve a bot to many callers, with limits, and let calls end on SIGTERM."""
    from jev_turn.errors import ConfigError

    try:
        import aiortc  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ConfigError("serve needs the extra: pip install 'pipecat-jev-turn[server]'") from None
    from jev_turn.server.logs import quiet_logs as without_words

    without_words(verbose=verbose)
    from jev_turn.env_file import read_env_file
    from jev_turn.server.serve import serve as run

    read_env_file()
    run(bot_file, host, port)


@app.command("new")
def new(
    kind: Annotated[Mode, typer.Argument(metavar="duplex|finish-turn")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
) -> None:
    """Write a bot to change and to run."""
    from jev_turn.template import write_bot

    write_bot(kind, file)
    print(f"{file} is written. Run it: python {file}")


@app.command("lint")
def lint(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Question and policy files.")
    ] = None,
) -> None:
    """Check question and policy files; 1 if something is wrong with them."""
    from jev_turn.policy import lint as problems_in

    problems = problems_in(folder)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    raise typer.Exit(1 if problems else 0)


def _console() -> Console:
    """Make a console that keeps tables whole where no terminal sets a width."""
    from rich.console import Console

    plain = Console()
    return plain if plain.is_terminal else Console(width=_PLAIN_WIDTH)


def quiet_logs(verbose: bool) -> None:
    """Show only what a person must know, before Pipecat's import says hello.

    Args:
        verbose: Show everything instead.
    """
    from loguru import logger

    logger.remove()
    # Values of variables in a traceback may be words that were spoken, or keys.
    if verbose:
        logger.add(sys.stderr, level="DEBUG", diagnose=False)
    else:
        logger.add(
            sys.stderr,
            level="WARNING",
            filter={"pipecat": "ERROR"},
            format="{level}: {message}",
            diagnose=False,
        )


if __name__ == "__main__":
    main()
