/**
 * The unchanged hosts with families of one's own: one left out, one that does not transfer here, and a seventh that
 * they have never heard of, with a variable and a word of its own. The seventh speaks to EVM nodes, so that what is
 * shown is the hosts: every port of it is asked through its value alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger, Schedule, Schema } from "effect"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ethereum } from "../../adapters/ethereum/Family.ts"
import type { ChainFamily } from "../../adapters/family/ChainFamily.ts"
import { Problem, readOptional } from "../../adapters/family/Variables.ts"
import type { Variable } from "../../adapters/family/Variables.ts"
import { ConfigsFolder } from "../configuration/ConfigsFolder.ts"
import { Families, families } from "../families.ts"
import { anyFree } from "../localnet/nodes/Port.ts"
import { oracleVariablesOf } from "../oracle/config/Environment.ts"
import { layerOracleHost } from "../oracle/OracleHost.ts"
import { variablesOf } from "../transfer/config/Environment.ts"
import { ended, execute, nativeRequest, post, quote } from "../transfer/testing/Client.ts"
import { environmentOf } from "../transfer/testing/TransferNetwork.ts"
import { startChains } from "../transfer/testing/TestChains.ts"
import { ETH, held } from "../transfer/testing/Tokens.ts"
import { layerTransferHost } from "../transfer/TransferHost.ts"

const configs = join(import.meta.dirname, "../../configs")
const KEY = `0x${"2a".repeat(32)}`
const HUB = { HUB_RPC_URL: "http://127.0.0.1:2", HUB_ALLOCATOR: `0x${"a1".repeat(20)}` }

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-families-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Given {
  readonly environment: Readonly<Record<string, string>>
  readonly families: ReadonlyArray<ChainFamily>
  readonly folder?: string
}

/** A host within this process; it ends with the scope. Fails with what a process would end for. */
const start = <E>(host: Layer.Layer<never, E>, { environment, families: given, folder = configs }: Given) =>
  Layer.build(
    Layer.fresh(host).pipe(
      Layer.provide([
        ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)),
        Layer.succeed(Families, given),
        Layer.succeed(ConfigsFolder, pathToFileURL(`${folder}/`)),
        Logger.layer([])
      ])
    )
  )

/** What an operator would be told. */
const refusal = <E>(host: Layer.Layer<never, E>, given: Given) =>
  Effect.map(Effect.flip(Effect.scoped(start(host, given))), String)

const solanaChain = { SOLANA_RPC_URL: "http://127.0.0.1:1", SOLANA_GENESIS_HASH: "1".repeat(32) }
const hosts = [
  {
    host: layerTransferHost,
    environment: { SOLVER_PRIVATE_KEY: KEY, DATABASE_URL: "sqlite::memory:" }
  },
  {
    host: layerOracleHost,
    environment: { ECDSA_PRIVATE_KEY: KEY, ...HUB }
  }
]
const local = { ENVIRONMENT: "local", CHAINS: "alpha,beta,solana-local", ...solanaChain }
const evm = { ALPHA_RPC_URL: "http://127.0.0.1:1", BETA_RPC_URL: "http://127.0.0.1:1" }

const named = (name: string) => (family: ChainFamily): boolean => family.rules.name === name

/** What the seventh cannot do without, where a chain of it is served. */
const mirrorKey: Variable<string> = {
  name: "MIRROR_KEY",
  meaning: "what mirrors are asked with",
  schema: Schema.String
}

const mirrored = Effect.fnUntraced(function*(chains: ReadonlyArray<{ readonly slug: string }>) {
  const key = yield* readOptional(mirrorKey)
  if (key === undefined && chains.length > 0) {
    return yield* new Problem({
      message: `${mirrorKey.name} is not set: ${chains.map(({ slug }) => slug).join()} is served`
    })
  }
  return key
})

const { observe, transfer } = ethereum
const mirror: ChainFamily = {
  rules: { ...ethereum.rules, name: "mirror-vm", apiName: "mirror" },
  title: "mirrors",
  entries: ethereum.entries,
  observe: {
    variables: [mirrorKey],
    read: (chains) => Effect.andThen(mirrored(chains), observe.read(chains))
  },
  ...(transfer === undefined ? {} : { transfer })
}

/** configs/chains.local.json in which beta is of the seventh family. */
const writeConfigs = (folder: string): void => {
  const text = readFileSync(join(configs, "chains.local.json"), "utf8")
  const entries = Schema.decodeUnknownSync(
    Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
  )(text)
  const changed = entries.map((entry) => entry["id"] === "beta" ? { ...entry, vmType: "mirror-vm" } : entry)
  writeFileSync(join(folder, "chains.local.json"), JSON.stringify(changed))
  copyFileSync(join(configs, "chains.hub.local.json"), join(folder, "chains.hub.local.json"))
}

const get = (url: string) => Effect.promise(() => fetch(url).then((response): Promise<unknown> => response.json()))

describe("hosts with other families", () => {
  it.effect("refuse a chain of a family that was left out, by name", () =>
    Effect.gen(function*() {
      const others = families.filter((family) => !named("solana-vm")(family))
      for (const { environment, host } of hosts) {
        assert.include(
          yield* refusal(host, { environment: { ...local, ...evm, ...environment }, families: others }),
          "chain solana-local: vmType: this service knows no family solana-vm; it knows ethereum-vm, bitcoin-vm"
        )
      }
      assert.notInclude(variablesOf(others).map(({ name }) => name), "SOLANA_SOLVER_PRIVATE_KEY")
      assert.include(variablesOf(families).map(({ name }) => name), "SOLANA_SOLVER_PRIVATE_KEY")
    }))

  it.effect("transfer where a family does, and nowhere else", () =>
    Effect.gen(function*() {
      const given = families.map((family) => {
        const { transfer: _, ...observed } = family
        return named("solana-vm")(family) ? observed : family
      })
      const [{ environment, host } = assert.fail("no transfer host")] = hosts
      assert.include(
        yield* refusal(host, { environment: { ...local, ...evm, ...environment }, families: given }),
        "this version transfers on ethereum-vm, bitcoin-vm, exchangea-vm, exchangeb-vm, tron-vm only: leave solana-local out with CHAINS"
      )
    }))

  it.live(
    "serve a seventh family: they require its variable and show its name, money goes both ways, and the oracle attests",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const folder = yield* temporaryFolder
        writeConfigs(folder)
        const seven = [...families, mirror]
        assert.include(variablesOf(seven).map(({ name }) => name), mirrorKey.name)
        assert.include(oracleVariablesOf(seven).map(({ name }) => name), mirrorKey.name)

        const chains = yield* startChains
        const { alpha, beta } = chains
        const [port, oraclePort] = [yield* anyFree, yield* anyFree]
        const keyless = environmentOf(chains, join(folder, "transfer.db"), port)
        const oracle = { ...keyless, ...HUB, ECDSA_PRIVATE_KEY: KEY, HTTP_PORT: `${oraclePort}` }
        for (const [index, environment] of [keyless, oracle].entries()) {
          const { host } = hosts[index] ?? assert.fail("two hosts")
          assert.include(yield* refusal(host, { environment, families: seven, folder }), "MIRROR_KEY is not set: beta")
        }

        const given = (environment: Readonly<Record<string, string>>) => ({
          environment: { ...environment, [mirrorKey.name]: "k" },
          families: seven,
          folder
        })
        yield* Effect.orDie(start(layerTransferHost, given(keyless)))
        yield* Effect.orDie(start(layerOracleHost, given(oracle)))
        const url = `http://127.0.0.1:${port}`
        const oracleUrl = `http://127.0.0.1:${oraclePort}`

        const Shown = Schema.Struct({ chains: Schema.Array(Schema.Struct({ vmType: Schema.String })) })
        const typesAt = (path: string) =>
          Effect.map(get(path), (answer) => Schema.decodeUnknownSync(Shown)(answer).chains.map(({ vmType }) => vmType))
        assert.deepStrictEqual(yield* typesAt(`${url}/chains`), ["evm", "mirror"])
        assert.deepStrictEqual(yield* typesAt(`${oracleUrl}/chains/v1`), ["ethereum-vm", "mirror-vm"])

        for (const [index, [from, to]] of ([[alpha, beta], [beta, alpha]] as const).entries()) {
          const key = chains.users[index] ?? "0x"
          const recipient = privateKeyToAccount(`0x${`${index + 1}`.repeat(64)}`).address
          const request = nativeRequest(privateKeyToAccount(key).address, from, to, parseEther("0.1"), { recipient })
          const quoted = yield* quote(url, request)
          const [deposit] = yield* execute(from, key, quoted)
          assert.strictEqual((yield* ended(url, quoted)).status, "success")
          assert.strictEqual(`${yield* held(to, ETH, recipient)}`, quoted.details.currencyOut.amount)
          const attested = yield* post(`${oracleUrl}/attestations/depository-deposits/v1`, {
            chainId: from === alpha ? "alpha" : "beta",
            transactionId: deposit?.transactionHash
          }).pipe(
            Effect.repeat({
              until: ({ status }) => status === 200,
              schedule: Schedule.spaced("100 millis")
            })
          )
          assert.strictEqual(attested.status, 200, attested.text)
        }
      }))
  )
})
