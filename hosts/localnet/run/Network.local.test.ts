import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { createSolanaRpc } from "@solana/kit"
import type { Address } from "viem"
import { createPublicClient, erc20Abi, http, parseAbi, parseEther, parseUnits } from "viem"
import { addressOf, deployed, multicall3 } from "../nodes/ethereum/Addresses.ts"
import { abi as depositAddressesAbi } from "../../../adapters/ethereum/contracts/artifacts/DepositAddresses.ts"
import type { Anvil } from "../nodes/ethereum/Anvil.ts"
import { anyFree } from "../nodes/Port.ts"
import { depositFactory } from "../nodes/ethereum/DepositFactory.ts"
import * as Network from "./Network.ts"
import type { Paths } from "./state/Paths.ts"
import { pathsBelow } from "./state/Paths.ts"
import * as Screen from "../../cli/Screen.ts"
import { chainIdOf } from "./Slug.ts"
import { program as depository, tokenAccount } from "../nodes/solana/DepositoryProgram.ts"
import { funding } from "../nodes/solana/Genesis.ts"
import { mints } from "../nodes/solana/Mints.ts"
import { solanaKeys, solanaParties } from "../nodes/solana/SolanaKeys.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { verify } from "./Verification.ts"

/** Opens the network of a folder on free ports, and collects the output for the terminal. */
const withNetwork = <A, E, R>(
  paths: Paths,
  use: (network: Network.Network, said: () => string) => Effect.Effect<A, E, R>,
  fresh = false,
  solana = false
) =>
  Effect.scoped(Effect.gen(function*() {
    let said = ""
    const screen = Screen.make({
      write: (text) => {
        said += text
      }
    }, {})
    const ports = {
      transfer: 0,
      oracle: 0,
      alpha: yield* anyFree,
      beta: yield* anyFree,
      hub: yield* anyFree,
      solana: yield* anyFree,
      jupiter: yield* anyFree,
      bitcoin: yield* anyFree,
      tron: yield* anyFree,
      exchangeA: yield* anyFree,
      exchangeB: yield* anyFree
    }
    return yield* use(yield* Network.open(paths, ports, { fresh, solana }, screen), () => said)
  }))

const reader = (chain: Anvil) => createPublicClient({ transport: http(chain.url), cacheTime: 0 })
const asides = (paths: Paths) => readdirSync(paths.folder).filter((name) => name.startsWith("state.aside-"))

describe("Network", () => {
  it.live("is deployed at its constant addresses, with every account funded", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      yield* withNetwork(paths, ({ chains, origin, parties }) =>
        Effect.promise(async () => {
          assert.strictEqual(origin, "fresh")
          for (const chain of [chains.alpha, chains.beta]) {
            const node = reader(chain)
            for (const address of [...deployed.map(addressOf), depositFactory, multicall3]) {
              assert.isAbove((await node.getCode({ address }))?.length ?? 0, 2, address)
            }
            const token = (contract: "TestUSDC" | "TestUSDT" | "TestWETH", owner: Address) =>
              node.readContract({
                abi: erc20Abi,
                address: addressOf(contract),
                functionName: "balanceOf",
                args: [owner]
              })
            // The last one is the demo sponsor: it has paid into its app balance.
            for (const account of parties.accounts.slice(0, -1)) {
              assert.strictEqual(await node.getBalance({ address: account }), parseEther("10000"))
              assert.strictEqual(await node.getTransactionCount({ address: account }), 0)
              assert.strictEqual(await token("TestUSDC", account), parseUnits("1000000", 6))
              assert.strictEqual(await token("TestUSDT", account), parseUnits("1000000", 6))
              assert.strictEqual(await token("TestWETH", account), parseEther("1000"))
            }
            assert.isTrue(
              await node.readContract({
                abi: parseAbi(["function isOperator(address) view returns (bool)"]),
                address: addressOf("Vault"),
                functionName: "isOperator",
                args: [parties.solver]
              })
            )
            const factory = { abi: depositAddressesAbi, address: depositFactory } as const
            assert.strictEqual(
              await node.readContract({ ...factory, functionName: "depository" }),
              addressOf("Depository")
            )
            assert.isTrue(await node.readContract({ ...factory, functionName: "isOperator", args: [parties.operator] }))
            assert.isFalse(await node.readContract({ ...factory, functionName: "isOperator", args: [parties.solver] }))
            assert.isAbove(Number(await token("TestUSDC", addressOf("Vault"))), 0)
            assert.isAbove(Number(await node.getBalance({ address: addressOf("Vault") })), 0)
          }
          for (const chain of Object.values(chains)) {
            const node = reader(chain)
            assert.strictEqual(await node.getBalance({ address: parties.solver }), parseEther("1000"))
            assert.strictEqual(await node.getBalance({ address: parties.allocator }), parseEther("10000"))
            const head = await node.getBlock()
            assert.isBelow(
              Math.abs(Number(head.timestamp) - Date.now() / 1000),
              3_600,
              "the chain's clock is the machine's"
            )
            assert.strictEqual((await node.getBlock({ blockTag: "finalized" })).number, head.number - 2n)
          }
        }))
      assert.strictEqual(statSync(paths.keys).mode & 0o777, 0o600)
      assert.strictEqual(statSync(paths.state).mode & 0o777, 0o700)
    })))

  it.live("continues where it ended; the state of finalized blocks can be read at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      const address = "0x00000000000000000000000000000000000000aa"
      const before = yield* withNetwork(paths, ({ chains, parties }) =>
        Effect.gen(function*() {
          yield* chains.beta.setBalance(address, 42n)
          yield* chains.beta.mine()
          return { parties, height: yield* chains.beta.height }
        }))
      yield* withNetwork(paths, ({ chains, origin, parties }) =>
        Effect.gen(function*() {
          assert.strictEqual(origin, "kept")
          assert.deepStrictEqual(parties, before.parties)
          assert.isAtLeast(Number(yield* chains.beta.height), Number(before.height))
          const finalized = yield* chains.beta.request("eth_getBalance", [address, "finalized"])
          assert.strictEqual(finalized, "0x2a")
        }))
      assert.deepStrictEqual(asides(paths), [])
      const solver = yield* withNetwork(paths, ({ origin, parties }) => {
        assert.strictEqual(origin, "fresh")
        return Effect.succeed(parties.solver)
      }, true)
      assert.notStrictEqual(solver, before.parties.solver)
      assert.deepStrictEqual(asides(paths), [])
    })))

  it.live("has a Solana chain on request, which starts and ends with the others", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      assert.isUndefined(yield* withNetwork(paths, ({ solana }) => Effect.succeed(solana)))
      /** Whether a wallet has its initial funds, and which network its chain belongs to. */
      const seen = ({ keys, origin, solana }: Network.Network) =>
        Effect.promise(async () => {
          const rpc = createSolanaRpc(solana?.url ?? "")
          const parties = solanaParties(solanaKeys(keys))
          const slot = await rpc.getSlot().send()
          const balances = await Promise.all(
            [parties.solver, ...parties.accounts].map(async (wallet) => (await rpc.getBalance(wallet).send()).value)
          )
          assert.deepStrictEqual(balances, [
            funding.solver.lamports,
            ...parties.accounts.map(() => funding.lamports)
          ] as Array<unknown>)
          for (const mint of mints) {
            const account = await tokenAccount(parties.solver, mint.address, mint.program)
            assert.strictEqual(
              (await rpc.getTokenAccountBalance(account).send()).value.amount,
              `${funding.solver.tokens}`
            )
          }
          const program = (await rpc.getAccountInfo(depository, { encoding: "base64" }).send()).value
          assert.strictEqual(program?.executable, true)
          return { origin, slot, hash: await rpc.getGenesisHash().send() }
        })
      // The kept network gets one, and keeps it.
      const first = yield* withNetwork(paths, seen, false, true)
      assert.strictEqual(first.origin, "kept")
      const second = yield* withNetwork(paths, seen, false, true)
      assert.strictEqual(second.hash, first.hash)
      assert.isAbove(Number(second.slot), Number(first.slot))
      rmSync(paths.solana)
      const fresh = yield* withNetwork(
        paths,
        (network, said) =>
          Effect.tap(seen(network), () => Effect.sync(() => assert.include(said(), "solana.json missing"))),
        false,
        true
      )
      assert.strictEqual(fresh.origin, "fresh")
      assert.notStrictEqual(fresh.hash, first.hash)
    })))

  it.live("agrees with the configuration, and a difference is detected", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* withNetwork(pathsBelow(yield* temporaryFolder), ({ chains }) =>
        Effect.gen(function*() {
          yield* verify(chains)
          yield* chains.beta.setCode(addressOf("Vault"), "0x")
          assert.include((yield* Effect.flip(verify(chains))).message, "beta has no contract at")
        }))
    })))

  /** Writes what the transfer service stores when it has scanned a block. */
  const see = (paths: Paths, height: bigint, hash: string) => {
    const store = new DatabaseSync(paths.database)
    store.exec(
      "CREATE TABLE IF NOT EXISTS cursors (chain_id BIGINT NOT NULL PRIMARY KEY, height TEXT NOT NULL, hash TEXT NOT NULL)"
    )
    store.prepare("INSERT OR REPLACE INTO cursors VALUES (?, ?, ?)").run(chainIdOf.alpha, height.toString(), hash)
    store.close()
  }

  it.live("agrees with a store that has seen the chain's last block, and not with one that has seen more or other blocks", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      const block = yield* withNetwork(paths, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBlock()))
      see(paths, block.number, block.hash)
      const kept = yield* withNetwork(paths, ({ origin }) => Effect.succeed(origin))
      assert.strictEqual(kept, "kept")
      for (
        const [height, hash] of [[block.number + 1000n, block.hash], [block.number, `0x${"1".repeat(64)}`]] as const
      ) {
        see(paths, height, hash)
        yield* withNetwork(paths, ({ origin }, said) => {
          assert.strictEqual(origin, "fresh")
          assert.include(said(), `the store has seen block ${height} of alpha`)
          return Effect.void
        })
      }
    })))

  const spoiled: ReadonlyArray<readonly [string, (paths: Paths, other: Paths) => void, string]> = [
    ["a chain is missing", (paths) => rmSync(paths.chain("alpha")), "alpha.json missing"],
    ["the store is missing", (paths) => rmSync(paths.database), "transfer.db missing"],
    ["a chain is damaged", (paths) => writeFileSync(paths.chain("beta"), "{"), "beta.json"],
    ["the store is damaged", (paths) => writeFileSync(paths.database, "no database"), "transfer.db"],
    ["the keys are damaged", (paths) => appendFileSync(paths.keys, "}"), "keys.json"],
    [
      "a chain is another network's",
      (paths, other) => copyFileSync(other.chain("hub"), paths.chain("hub")),
      "chain hub"
    ],
    ["the store is another network's", (paths, other) => copyFileSync(other.database, paths.database), "transfer.db"]
  ]

  it.live("starts fresh, says why, and keeps the old state, when chains and store do not agree", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      const other = pathsBelow(yield* temporaryFolder)
      yield* withNetwork(paths, () => Effect.void)
      yield* withNetwork(other, () => Effect.void)
      let count = 0
      for (const [name, spoil, reason] of spoiled) {
        spoil(paths, other)
        yield* withNetwork(paths, ({ origin }, said) => {
          assert.strictEqual(origin, "fresh", name)
          assert.include(said(), reason, name)
          return Effect.void
        })
        count += 1
        assert.strictEqual(asides(paths).length, count, name)
        assert.isTrue(existsSync(paths.manifest), name)
      }
    })))
})
