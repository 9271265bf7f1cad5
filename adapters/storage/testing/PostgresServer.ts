/**
 * A throw-away PostgreSQL for tests: its own data folder, a random port on the loopback, a random password, no fsync.
 *
 * It cannot outlive the process that started it, even one that was killed: a shell holds the other end of a pipe, stops
 * the server and removes its folder when that pipe closes. Not for data that has to survive a crash of the machine.
 */
import { Duration, Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import * as Postgres from "../engine/Postgres.ts"

export interface PostgresPrograms {
  readonly initdb: string
  readonly pgCtl: string
}

export interface PostgresServer {
  /** A new, empty database. It is removed when the scope closes. */
  readonly createDatabase: Effect.Effect<Redacted.Redacted, PostgresServerError, Scope.Scope>
  /** A new database with what another one of this server holds, to which nobody is connected. */
  readonly copyDatabase: (url: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, PostgresServerError, Scope.Scope>
}

export class PostgresServerError extends Schema.TaggedError<PostgresServerError>()("PostgresServerError", {
  message: Schema.String
}) {}

interface Identity {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root. Then it runs as the system's user `postgres`, or else as `nobody`. */
const identity = (): Identity | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
  return { uid: Number(user?.[2] ?? 65534), gid: Number(user?.[3] ?? 65534) }
}

const run = (program: string, args: ReadonlyArray<string>, as: Identity | undefined) =>
  Effect.callback<void, PostgresServerError>((resume) => {
    execFile(program, args, { ...as, cwd: tmpdir() }, (error, stdout, stderr) =>
      resume(
        error === null
          ? Effect.void
          : Effect.fail(new PostgresServerError({ message: `${program}: ${error.message}\n${stdout}${stderr}` }))
      ))
  })

/** Starts the server, reports it, waits for the end of its input, stops the server and removes the folder. */
const KEEPER = `
"$1" start -w -t 60 -D "$2/data" -l "$2/log" -o "$3" >/dev/null || { cat "$2/log" >&2; rm -rf "$2"; exit 1; }
echo ready
cat >/dev/null
"$1" stop -m immediate -D "$2/data" >/dev/null 2>&1
rm -rf "$2"
`

const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "shared_buffers=32MB",
  "max_connections=200"
]

const keep = (
  programs: PostgresPrograms,
  folder: string,
  { as, port, settings }: {
    readonly as: Identity | undefined
    readonly port: number
    readonly settings: ReadonlyArray<string>
  }
) =>
  Effect.acquireRelease(
    Effect.callback<() => void, PostgresServerError>((resume) => {
      const options = [...SETTINGS, ...settings, `port=${port}`].map((setting) => `-c ${setting}`).join(" ")
      const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", programs.pgCtl, folder, options], {
        ...as,
        cwd: tmpdir(),
        // In a process group of its own: the signal that ends a test run must reach the tests, and let the keeper clean
        // up after them.
        detached: true,
        stdio: ["pipe", "pipe", "pipe"]
      })
      let complaint = ""
      keeper.stderr.on("data", (chunk: Buffer) => {
        complaint += chunk.toString("utf8")
      })
      keeper.stdout.once("data", () => {
        keeper.stdout.destroy()
        keeper.stderr.destroy()
        keeper.unref()
        resume(Effect.succeed(() => keeper.stdin.end()))
      })
      keeper.once("exit", () => resume(Effect.fail(new PostgresServerError({ message: `pg_ctl: ${complaint}` }))))
    }),
    (stop) => Effect.sync(stop)
  )

/**
 * Starts a server and keeps it until the scope closes, at most as long as this process lives. Takes about two seconds.
 * Fails with `PostgresServerError` and the server's own message. `settings`: as in postgresql.conf.
 */
export const start = Effect.fnUntraced(function*(programs: PostgresPrograms, settings: ReadonlyArray<string> = []) {
  const as = identity()
  const folder = mkdtempSync(join(tmpdir(), "causeway-postgres-"))
  yield* Effect.addFinalizer((exit) =>
    exit._tag === "Failure" ? Effect.sync(() => rmSync(folder, { recursive: true, force: true })) : Effect.void
  )
  const password = randomBytes(16).toString("hex")
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (as !== undefined) { for (const path of [folder, passwordFile]) chownSync(path, as.uid, as.gid) }
  yield* run(programs.initdb, [
    ...["-D", join(folder, "data"), "-U", "causeway", "--pwfile", passwordFile],
    ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
  ], as)
  const port = yield* anyFree.pipe(
    Effect.tap((port) => keep(programs, folder, { as, port, settings })),
    Effect.retry({ times: 3 })
  )

  const urlOf = (database: string) => Redacted.make(`postgres://causeway:${password}@127.0.0.1:${port}/${database}`)
  // A new pool each time: a pool that is closing opens no connections, and a caller that asks it for one waits forever.
  const administer = (statement: (admin: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>) =>
    Postgres.make({ url: urlOf("postgres"), maxConnections: 1, connectTimeout: Duration.seconds(60) }).pipe(
      Effect.flatMap(statement),
      Effect.scoped,
      Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make)
    )
  let count = 0
  const create = (template: string) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const name = `test_${++count}`
        return Effect.as(
          administer((admin) => admin`CREATE DATABASE ${admin(name)} TEMPLATE ${admin(template)}`),
          name
        )
      }),
      (name) => Effect.ignore(administer((admin) => admin`DROP DATABASE ${admin(name)} WITH (FORCE)`))
    ).pipe(
      Effect.mapBoth({
        onSuccess: urlOf,
        onFailure: (error) => new PostgresServerError({ message: error.message })
      })
    )
  const server: PostgresServer = {
    createDatabase: create("template1"),
    copyDatabase: (url) => create(new URL(Redacted.value(url)).pathname.slice(1))
  }
  return server
})
