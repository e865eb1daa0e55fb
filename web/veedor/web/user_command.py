"""`veedor user`: accounts by command line, the first administrator above all."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import warnings
from typing import TYPE_CHECKING

from veedor.monitor.arguments import add_data
from veedor.monitor.language import text

if TYPE_CHECKING:
    from veedor.web.access.accounts import Accounts
    from veedor.web.access.database import AccountsFile

ACTS = ("add", "list", "password", "role", "disable", "enable")
ROLES = ("operator", "reviewer", "labeller", "administrator")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "user",
        help=text(es="cuentas de las páginas", en="accounts of the pages"),
        description=text(
            es="Cuentas de quienes entran a las páginas de `veedor serve`. La contraseña se pide dos veces, "
            "o se lee de la entrada con --password-stdin.",
            en="Accounts of who may enter the pages of `veedor serve`. The password is asked for twice, or "
            "read from standard input with --password-stdin.",
        ),
    )
    parser.add_argument("act", choices=ACTS, metavar="|".join(ACTS))
    parser.add_argument("name", nargs="?", metavar=text(es="NOMBRE", en="NAME"))
    add_data(parser)
    parser.add_argument(
        "--role",
        choices=ROLES,
        help=text(es="papel, con add y role", en="role, with add and role"),
    )
    parser.add_argument(
        "--password-stdin",
        action="store_true",
        help=text(es="lee la contraseña de la entrada", en="read the password from standard input"),
    )
    parser.add_argument("--json", action="store_true", help=text(es="list en JSON", en="list as JSON"))


def run(args: argparse.Namespace) -> int:
    from veedor.web.access.accounts import Accounts
    from veedor.web.access.database import FILE_NAME, AccountsFile

    _check(args)
    file = AccountsFile(args.data / FILE_NAME, there=args.act != "add")
    try:
        return _act_on(args, Accounts(file), file)
    finally:
        file.close()


def _check(args: argparse.Namespace) -> None:
    """UsageFault for words that do not go together."""
    from veedor.monitor.errors import UsageFault

    if (args.name is None) != (args.act == "list"):
        raise UsageFault(
            text(es="falta el nombre", en="a name is missing")
            if args.name is None
            else text(es="list no lleva nombre", en="list takes no name")
        )
    takes_role = args.act in ("add", "role")
    if takes_role and args.role is None:
        roles = " | ".join(ROLES)
        raise UsageFault(text(es=f"falta --role: {roles}", en=f"--role is missing: {roles}"))
    if args.role is not None and not takes_role:
        raise UsageFault(text(es="--role va con add y con role", en="--role goes with add and with role"))


def _act_on(args: argparse.Namespace, accounts: Accounts, file: AccountsFile) -> int:
    from veedor.web.access.audit import Audit, Entry
    from veedor.web.access.people import Role

    if args.act == "list":
        _list(accounts, as_json=args.json)
        return 0
    detail = ""
    if args.act == "add":
        detail = args.role
        accounts.check_new(args.name)
        accounts.add(args.name, Role(args.role), _password(args.name, piped=args.password_stdin))
    elif args.act == "password":
        accounts.check_known(args.name)
        accounts.set_password(args.name, _password(args.name, piped=args.password_stdin))
    elif args.act == "role":
        detail = args.role
        accounts.set_role(args.name, Role(args.role))
    else:
        accounts.disable(args.name, disabled=args.act == "disable")
    person = accounts.find(args.name)
    assert person is not None
    who = f"{getpass.getuser() if os.name == 'posix' else 'console'} (command line)"
    Audit(file).note(Entry(who, "", f"account {args.act}", person.name, detail))
    print(_line(person.name, person.role, disabled=person.disabled))
    return 0


def _password(name: str, *, piped: bool) -> str:
    """What is typed twice; one that cannot be is told before it is asked for again."""
    from veedor.web.access.people import AccountFault, acceptable_password, tidy_name

    if piped:
        return sys.stdin.readline().rstrip("\r\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            first = getpass.getpass(text(es="contraseña: ", en="password: "))
            acceptable_password(first, tidy_name(name))
            again = getpass.getpass(text(es="otra vez: ", en="again: "))
        except (getpass.GetPassWarning, EOFError):  # it would be shown as it is typed
            raise AccountFault(
                text(es="no hay terminal: use --password-stdin", en="no terminal here: use --password-stdin")
            ) from None
    if again != first:
        raise AccountFault(text(es="no son iguales", en="they differ"))
    return first


def _list(accounts: Accounts, *, as_json: bool) -> None:
    import json

    people = accounts.people()
    if as_json:
        rows = [
            {"name": each.name, "role": each.role, "disabled": each.disabled, "created_at": each.created_at}
            for each in people
        ]
        print(json.dumps(rows, ensure_ascii=False))
        return
    for each in people:
        print(_line(each.name, each.role, disabled=each.disabled))


def _line(name: str, role: str, *, disabled: bool) -> str:
    shown = {
        "operator": text(es="operador", en="operator"),
        "reviewer": text(es="revisor", en="reviewer"),
        "labeller": text(es="etiquetador", en="labeller"),
        "administrator": text(es="administrador", en="administrator"),
    }[role]
    return f"{name}  {shown}" + (text(es="  cerrada", en="  disabled") if disabled else "")
