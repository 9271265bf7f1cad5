import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Random, Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { anyFree, isFree } from "../nodes/Port.ts"
import { choose, listeners, names } from "./Ports.ts"

const occupy = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer()
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const decodePorts = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Int)))

const given = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(choose, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))

describe("Ports", () => {
  it.live("are distinct, free, and never below the usual one", () =>
    Effect.gen(function*() {
      const ports = yield* given({})
      assert.strictEqual(new Set(Object.values(ports)).size, names.length)
      for (const name of names) {
        assert.isAtLeast(ports[name], listeners[name].usual)
        assert.isTrue(yield* isFree(ports[name]))
      }
    }))

  it.live("skip taken ones", () =>
    Effect.scoped(Effect.gen(function*() {
      const before = yield* given({})
      yield* occupy(before.alpha)
      const after = yield* given({})
      assert.isAbove(after.alpha, before.alpha)
      // Other networks on this machine may have moved the others meanwhile. All of ours are free and distinct again.
      assert.strictEqual(new Set(Object.values(after)).size, names.length)
      assert.isFalse(Object.values(after).includes(before.alpha))
    })))

  it.live("are never those of a run that starts at the same time, before either has bound one", () =>
    Effect.gen(function*() {
      const program = `
        const { choose } = await import(${JSON.stringify(join(import.meta.dirname, "Ports.ts"))})
        const { ConfigProvider, Effect } = await import("effect")
        const chosen = Effect.provide(choose, ConfigProvider.layer(ConfigProvider.fromEnvRecord({})))
        console.log(JSON.stringify(Object.values(await Effect.runPromise(chosen))))
        // Until this test has seen what both have chosen.
        process.stdin.resume()
        process.stdin.on("end", () => process.exit(0))`
      const chosen = () =>
        Effect.map(
          Effect.acquireRelease(
            Effect.promise(() =>
              new Promise<{ readonly child: ReturnType<typeof spawn>; readonly ports: ReadonlyArray<number> }>(
                (resolve, reject) => {
                  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
                    stdio: ["pipe", "pipe", "inherit"]
                  })
                  child.once("exit", () => reject(new Error("it has chosen nothing")))
                  child.stdout.once("data", (text) => resolve({ child, ports: decodePorts(`${text}`) }))
                }
              )
            ),
            ({ child }) => Effect.sync(() => void child.kill())
          ),
          ({ ports }) => ports
        )
      const both = yield* Effect.all([chosen(), chosen()], { concurrency: 2 })
      assert.deepStrictEqual(both.map((ports) => ports.length), [names.length, names.length])
      assert.strictEqual(new Set(both.flat()).size, 2 * names.length)
    }).pipe(Effect.scoped))

  it.live("chosen automatically are none that an outgoing connection could take", () =>
    Effect.gen(function*() {
      const range = Effect.try({
        try: () => readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/u).map(Number),
        catch: () => "no such file" as const
      })
      const [least = 32_768, most = 65_535] = yield* Effect.orElseSucceed(range, () => [])
      const ports = yield* Effect.replicateEffect(anyFree, 50)
      for (const port of ports) assert.isTrue(port < least || port > most, `${port} is within ${least}-${most}`)
      assert.strictEqual(new Set(ports).size, 50)
    }))

  it.live("chosen automatically are nobody else's before they are bound, in this process and in others", () =>
    Effect.gen(function*() {
      // The same draws: whoever comes later has to pass over what the earlier have.
      const draw = Random.withSeed(Effect.replicateEffect(anyFree, 20), process.pid)
      const others = Effect.sync(() => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [
          "--input-type=module",
          "--eval",
          `
          import { Effect, Random } from ${JSON.stringify(import.meta.resolve("effect"))}
          import { anyFree } from ${JSON.stringify(new URL("../nodes/Port.ts", import.meta.url).href)}
          const ports = Effect.runPromise(Random.withSeed(Effect.replicateEffect(anyFree, 20), ${process.pid}))
          process.stdout.write(JSON.stringify(await ports))
        `
        ], { encoding: "utf8" })
        assert.strictEqual(status, 0, stderr)
        return Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Int)))(stdout)
      })
      const all = [...yield* draw, ...yield* draw, ...yield* others]
      assert.strictEqual(new Set(all).size, 60)
    }))

  it.live("that were requested are used", () =>
    Effect.gen(function*() {
      const port = yield* anyFree
      const ports = yield* given({ HUB_PORT: `${port}` })
      assert.strictEqual(ports.hub, port)
    }))

  it.live("that were requested and are taken are an error that names the variable", () =>
    Effect.scoped(Effect.gen(function*() {
      const port = yield* anyFree
      yield* occupy(port)
      const error = yield* Effect.flip(given({ TRANSFER_PORT: `${port}` }))
      assert.include(error.message, "TRANSFER_PORT")
      assert.include(error.message, `${port}`)
    })))

  it.live("that are invalid, or requested twice, are errors", () =>
    Effect.gen(function*() {
      assert.include((yield* Effect.flip(given({ ALPHA_PORT: "high" }))).message, "ALPHA_PORT")
      assert.include((yield* Effect.flip(given({ ALPHA_PORT: "70000" }))).message, "ALPHA_PORT")
      const port = `${yield* anyFree}`
      assert.include((yield* Effect.flip(given({ ALPHA_PORT: port, BETA_PORT: port }))).message, port)
    }))
})
