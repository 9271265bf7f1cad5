import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { createNoopSigner } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { getTransferSolInstruction } from "@solana-program/system"
import { base58 } from "@scure/base"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { localTransaction } from "../../../hosts/localnet/nodes/solana/node/Faucet.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import type { LocalKey } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { readTransaction } from "../../../hosts/localnet/nodes/solana/node/Submitted.ts"
import { Solana } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import type { Fault } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import * as Depository from "../../../hosts/localnet/nodes/solana/DepositoryProgram.ts"
import { genesis } from "../../../hosts/localnet/nodes/solana/Genesis.ts"
import { usdc } from "../../../hosts/localnet/nodes/solana/Mints.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { parseTransactionId, TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { solana as configured } from "../../../src/domain/quote/testing/Chains.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import * as SolanaRpc from "../rpc/SolanaRpc.ts"
import * as SolanaWatcher from "./Watcher.ts"

const codec = addressCodec("solana-vm")
const named = (name: string) => keyOfName(`causeway.watcher.${name}`)
const [user, payer, solver, allocator] = [named("user"), named("payer"), named("solver"), named("allocator")]

const makeFixture = Effect.gen(function*() {
  // Slots end only on command.
  const local = yield* Solana.start({
    slotTime: 3_600_000,
    genesis: genesis({ accounts: [user.address, payer.address], solver: solver.address, allocator: allocator.address })
  })
  const native = configured.native
  const token: Currency = {
    ...native,
    address: Result.getOrThrow(codec.parseCurrency(usdc.address)),
    symbol: "USDC",
    name: "USDC",
    decimals: 6,
    isNative: false
  }
  const chain = {
    ...configured,
    genesisHash: local.chain.genesisHash,
    depository: Result.getOrThrow(codec.parse(Depository.program)),
    currencies: [native, token]
  }
  const urls = new Map([[chain.id, [Redacted.make(local.url)]]])
  const services = yield* Layer.build(
    SolanaWatcher.layer.pipe(
      Layer.provide(SolanaRpc.layer),
      Layer.provide(Layer.succeed(SolanaRpc.SolanaEndpoints, { urls }))
    )
  )
  const watcher = Context.get(services, DepositWatcher)

  /** The signature of a transaction that is now in the open slot, or has failed there. */
  const sendAs = (version: 0 | 1, keys: ReadonlyArray<LocalKey>, ...instructions: ReadonlyArray<Instruction>) =>
    Effect.sync(() => {
      const outcome = local.chain.submit(localTransaction(local.chain, keys, instructions, version))
      if (outcome._tag === "Dropped") throw new Error(`dropped: ${JSON.stringify(outcome.error)}`)
      return outcome.record.signature
    })
  const send = (keys: ReadonlyArray<LocalKey>, ...instructions: ReadonlyArray<Instruction>) =>
    sendAs(0, keys, ...instructions)
  const native20 = (amount: bigint, byte = 1) =>
    Depository.depositNative({ sender: createNoopSigner(user.address), amount, id: new Uint8Array(32).fill(byte) })
  const scan = Effect.fnUntraced(function*(height: bigint) {
    const { hash } = local.chain.ledger.block(Number(height)) ?? { hash: "none" }
    return yield* watcher.scan(chain, { height, hash })
  })
  const idOf = (signature: string) => Result.getOrThrow(parseTransactionId(families["solana-vm"], signature))
  const look = (signature: string) => watcher.look(chain, idOf(signature))
  /** The kind of fault of a failed reading. */
  const unread = <A>(reading: Effect.Effect<A, { readonly kind: string }>, fault: Fault) =>
    Effect.andThen(
      local.setFault(fault),
      Effect.map(Effect.result(reading), (said) => Result.isFailure(said) ? said.failure.kind : "read")
    ).pipe(Effect.ensuring(local.setFault(undefined)))
  const confirmed = () => BigInt(local.chain.slotAt("confirmed"))
  return { local, chain, watcher, send, sendAs, native20, scan, look, unread, confirmed, token }
})

class Fixture extends Context.Service<Fixture, Effect.Success<typeof makeFixture>>()("test/WatcherStage") {
  static readonly layer = Layer.effect(Fixture, makeFixture)
}

const member = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null ? Object.getOwnPropertyDescriptor(of, name)?.value : undefined

layer(Fixture.layer, { excludeTestServices: true })("deposits of a Solana chain", (it) => {
  it.effect("are found from a cursor, native and token, in the chain's order, with their sender, without failed or foreign ones", () =>
    Effect.gen(function*() {
      const { chain, confirmed, local, native20, scan, send, token } = yield* Fixture
      yield* local.mine(2)
      const from = confirmed()
      const one = yield* send([user], native20(11n))
      yield* local.mine(1)
      const tokens = yield* Effect.promise(() =>
        Depository.depositToken({
          sender: createNoopSigner(user.address),
          amount: 5n,
          id: new Uint8Array(32).fill(2),
          mint: usdc.address,
          tokenProgram: usdc.program
        })
      )
      const two = yield* send([payer, user], tokens, native20(12n))
      yield* send(
        [user],
        getTransferSolInstruction({
          source: createNoopSigner(user.address),
          destination: Depository.vault,
          amount: 900n
        })
      )
      const failed = yield* send([user], native20(10n ** 18n))
      assert.isNotNull(local.chain.ledger.transaction(failed)?.meta.err)
      const young = yield* scan(from)
      assert.deepStrictEqual(young.deposits.map(({ transactionId }) => String(transactionId)), [one])
      yield* local.mine(2)
      const { cursor, deposits, head } = yield* scan(from)
      assert.deepStrictEqual(
        deposits.filter(({ amount }) => amount !== 900n).map((
          { amount, currency, sender, transactionId }
        ) => [String(transactionId), amount, currency, sender]),
        [
          [one, 11n, chain.native.address, user.address],
          [two, 5n, token.address, user.address],
          [two, 12n, chain.native.address, user.address]
        ]
      )
      assert.isTrue(
        deposits.every(({ block, chainId }) =>
          block.hash === local.chain.ledger.block(Number(block.height))?.hash && chainId === chain.id
        )
      )
      assert.deepStrictEqual([cursor.height, head.height], [confirmed(), confirmed()])
      // Later scans also find what a node's index had late. Old slots are not read again.
      yield* local.mine(1)
      assert.lengthOf((yield* scan(cursor.height)).deposits, deposits.length)
      yield* local.mine(70)
      assert.lengthOf((yield* scan(confirmed() - 2n)).deposits, 0)
      const forked = yield* scan(confirmed() - 2n).pipe(
        Effect.andThen(
          Effect.flatMap(Fixture, ({ watcher }) => watcher.scan(chain, { height: confirmed() - 2n, hash: "another" }))
        )
      )
      assert.lengthOf(forked.deposits, deposits.length)
    }))

  it.effect("are found over several pages of an account's transactions", () =>
    Effect.gen(function*() {
      const { confirmed, local, native20, scan, send } = yield* Fixture
      yield* local.mine(70)
      const from = confirmed()
      const first = yield* send([user], native20(21n))
      yield* local.mine(1)
      yield* local.mine(1)
      // A first page of newer failures of other senders, and everything behind it.
      const signature = yield* send(
        [user],
        getTransferSolInstruction({
          source: createNoopSigner(user.address),
          destination: Depository.vault,
          amount: 901n
        })
      )
      const failure = {
        signature,
        slot: Number(from) + 2,
        err: "AccountInUse",
        memo: null,
        blockTime: null,
        confirmationStatus: "confirmed"
      }
      yield* local.setFault({
        kind: "lie",
        methods: ["getSignaturesForAddress"],
        tell: (result, _method, params) =>
          member(Array.isArray(params) ? params[1] : undefined, "before") === undefined
            ? Array.from({ length: 1_000 }, () => failure)
            : result
      })
      const { deposits } = yield* scan(from).pipe(Effect.ensuring(local.setFault(undefined)))
      assert.include(deposits.map(({ transactionId }) => String(transactionId)), first)
    }))

  it.effect("are found in transactions of version 1, and of a newer one stop no others (SOLANA-23)", () =>
    Effect.gen(function*() {
      const { confirmed, local, look, native20, scan, send, sendAs, unread } = yield* Fixture
      yield* local.mine(70)
      const from = confirmed()
      const one = yield* sendAs(1, [payer, user], native20(21n), native20(22n))
      yield* local.mine(1)
      const newer = yield* send([user], native20(23n))
      yield* local.mine(1)
      const two = yield* send([user], native20(24n))
      yield* local.mine(2)
      assert.strictEqual(local.chain.ledger.transaction(one)?.version, 1)
      const ofVersion = (signature: string, version: number) =>
        Effect.sync(() => Object.assign(local.chain.ledger.transaction(signature) ?? {}, { version }))
      // Of a version that no release knows: the node refuses to show it.
      yield* ofVersion(newer, 2)
      const scanned = yield* scan(from)
      assert.deepStrictEqual(
        scanned.deposits.map((
          { amount, sender, transactionId }
        ) => [String(transactionId), amount, sender]),
        [[one, 21n, user.address], [one, 22n, user.address], [two, 24n, user.address]]
      )
      // Told once, also where scans overlap.
      assert.deepStrictEqual([scanned.unread?.map(String), (yield* scan(from)).unread], [[newer], undefined])
      // Alone it is no answer: that the deposit is not there is never concluded.
      assert.notStrictEqual(yield* unread(look(newer), { kind: "delay", milliseconds: 0 }), "read")
      yield* ofVersion(newer, 0)
      assert.deepStrictEqual((yield* look(newer))?.map(({ amount }) => amount), [23n])
    }))

  it.effect("are not skipped when a node is behind, has pruned, or lacks what its index lists", () =>
    Effect.gen(function*() {
      const { chain, confirmed, local, native20, scan, send, unread, watcher } = yield* Fixture
      yield* local.mine(70)
      const from = confirmed()
      const id = yield* send([user], native20(31n))
      yield* local.mine(2)
      const ahead = { height: confirmed() + 100n, hash: "of a node that is further" }
      assert.deepStrictEqual(yield* watcher.scan(chain, ahead), {
        cursor: ahead,
        head: yield* watcher.head(chain),
        deposits: []
      })
      const slot = Number(from) + 1
      const missing = { kind: "lie", methods: ["getTransaction"], tell: () => null } as const
      assert.strictEqual(yield* unread(scan(from), missing), "behind")
      const elsewhere: Fault = {
        kind: "lie",
        methods: ["getTransaction"],
        tell: (result) => typeof result === "object" && result !== null ? { ...result, slot: Number(from) } : result
      }
      assert.strictEqual(yield* unread(scan(from), elsewhere), "behind")
      assert.strictEqual(yield* unread(scan(from), { kind: "forgets", from: 0, to: slot }), "behind")
      assert.deepStrictEqual((yield* scan(from)).deposits.map(({ transactionId }) => String(transactionId)), [id])
      // It was read: the same place is not read again.
      yield* local.setFault(missing)
      assert.lengthOf((yield* scan(from)).deposits, 1)
      yield* local.setFault(undefined)
    }))

  it.effect("are not skipped when a node's index is seconds behind its blocks, by scans and by looks at final blocks (SOLANA-28)", () =>
    Effect.gen(function*() {
      const { chain, confirmed, local, native20, scan, send } = yield* Fixture
      yield* local.mine(160)
      const from = confirmed()
      const id = yield* send([user], native20(41n))
      yield* local.mine(6)
      yield* local.setFault({
        kind: "lie",
        methods: ["getSignaturesForAddress"],
        tell: (listed) => Array.isArray(listed) ? listed.filter((each) => member(each, "signature") !== id) : listed
      })
      const twoHosts = [local.url, local.url.replace("127.0.0.1", "localhost")].map((url) => Redacted.make(url))
      const byTwo = Context.get(
        yield* Layer.build(
          SolanaWatcher.layer.pipe(
            Layer.provide(SolanaRpc.layer),
            Layer.provide(Layer.succeed(SolanaRpc.SolanaEndpoints, {
              urls: new Map([[chain.id, twoHosts]]),
              quorums: new Map([[chain.id, 2]])
            }))
          )
        ),
        DepositWatcher
      )
      const look = Effect.fnUntraced(function*(after: { readonly height: bigint; readonly hash: string }) {
        const { newest } = yield* byTwo.finality(chain, undefined)
        return yield* byTwo.scanFinal(chain, after, newest ?? assert.fail("no block is final"))
      })
      const first = yield* scan(from)
      const looked = yield* look({ height: from, hash: local.chain.ledger.block(Number(from))?.hash ?? "none" })
      assert.deepStrictEqual([first.deposits.length, looked.deposits.length], [0, 0])
      // Ten seconds at 200 ms.
      yield* local.mine(50)
      const still = yield* scan(first.cursor.height)
      assert.lengthOf(still.deposits, 0)
      yield* local.setFault(undefined)
      yield* local.mine(1)
      const named = (deposits: ReadonlyArray<{ readonly transactionId: TransactionId }>) =>
        deposits.map(({ transactionId }) => String(transactionId))
      assert.deepStrictEqual(named((yield* scan(still.cursor.height)).deposits), [id])
      yield* local.mine(50)
      assert.deepStrictEqual(named((yield* look(looked.cursor)).deposits), [id])
    }).pipe(Effect.scoped))

  it.effect("are none in a transaction that failed, that nobody sent, or that a node mixes up", () =>
    Effect.gen(function*() {
      const { local, look, native20, send, unread } = yield* Fixture
      const [one, other, failed] = [
        yield* send([user], native20(41n)),
        yield* send([user], native20(42n)),
        yield* send([user], native20(10n ** 18n, 9))
      ]
      yield* local.mine(2)
      assert.deepStrictEqual((yield* look(one))?.map(({ amount }) => amount), [41n])
      assert.deepStrictEqual(yield* look(failed), [])
      assert.isUndefined(yield* look("1".repeat(64)))
      const wire = local.chain.ledger.transaction(other)?.wire
      const swapped: Fault = {
        kind: "lie",
        methods: ["getTransaction"],
        tell: (result) =>
          typeof result === "object" && result !== null ? { ...result, transaction: [wire, "base64"] } : result
      }
      assert.strictEqual(yield* unread(look(one), swapped), "behind")
      const unbalanced: Fault = {
        kind: "lie",
        methods: ["getTransaction"],
        tell: (result) =>
          typeof result === "object" && result !== null
            ? { ...result, meta: { ...Object(member(result, "meta")) as object, preBalances: [] } }
            : result
      }
      assert.notStrictEqual(yield* unread(look(one), unbalanced), "read")
      const blockless: Fault = { kind: "lie", methods: ["getBlock"], tell: () => null }
      assert.strictEqual(yield* unread(look(one), blockless), "behind")
    }))

  it.effect("have their depth, are final when their slot is, and are gone only when their block is", () =>
    Effect.gen(function*() {
      const { chain, local, look, native20, send, unread, watcher } = yield* Fixture
      const id = yield* send([user], native20(51n))
      yield* local.mine(1)
      const [deposit] = (yield* look(id)) ?? []
      if (deposit === undefined) return yield* Effect.die(new Error("no deposit"))
      const standing = watcher.standing(chain, deposit, "endpoint")
      assert.deepInclude(yield* standing, { _tag: "Included", confirmations: 1, final: false, block: deposit.block })
      yield* local.mine(1)
      assert.deepInclude(yield* standing, { _tag: "Included", confirmations: 2, final: false })
      yield* local.mine(1)
      assert.deepInclude(yield* standing, { _tag: "Included", confirmations: 3, final: true })
      assert.deepStrictEqual(yield* watcher.finality(chain, deposit.block), {
        found: deposit.block.hash,
        newest: { height: deposit.block.height, hash: deposit.block.hash }
      })
      // What the chain has under its id is shown, however it was recorded.
      for (
        const changes of [{ amount: 52n }, { depositId: `0x${"07".repeat(32)}` }, { currency: usdc.address }] as const
      ) {
        const other = { ...deposit, ...changes } as typeof deposit
        assert.deepInclude(
          yield* watcher.standing(chain, other, "endpoint"),
          { _tag: "Included", deposits: [deposit] },
          JSON.stringify(Object.keys(changes))
        )
      }
      // A transaction that its block does not hold was never there, whoever has shown it.
      const invented = { ...deposit, transactionId: TransactionId.make(base58.encode(new Uint8Array(64).fill(7))) }
      assert.deepStrictEqual(yield* watcher.standing(chain, invented, "endpoint"), { _tag: "Gone" })
      const slot = Number(deposit.block.height)
      for (
        const fault of [
          { kind: "lie", methods: ["getTransaction"], tell: () => null },
          { kind: "forgets", from: 0, to: slot },
          { kind: "forgets", from: slot - 1, to: slot },
          { kind: "forgets", from: 2, to: slot + 1 }
        ] as const satisfies ReadonlyArray<Fault>
      ) assert.strictEqual(yield* unread(standing, fault), "behind", JSON.stringify(fault))
      assert.deepInclude(yield* standing, { _tag: "Included", final: true })
    }))

  it.effect("that a rollback removed are gone once the chain continues without them, and are found again where they return", () =>
    Effect.gen(function*() {
      const { chain, confirmed, local, look, native20, scan, send, unread, watcher } = yield* Fixture
      yield* local.mine(70)
      const from = confirmed()
      const id = yield* send([user], native20(61n))
      yield* local.mine(1)
      const { cursor, deposits: [deposit] } = yield* scan(from)
      if (deposit === undefined) return yield* Effect.die(new Error("no deposit"))
      const wire = local.chain.ledger.transaction(id)?.wire ?? ""
      local.chain.rollback(2)
      // Nobody knows yet what comes in its place.
      assert.strictEqual(
        yield* unread(watcher.standing(chain, deposit, "endpoint"), { kind: "delay", milliseconds: 0 }),
        "behind"
      )
      assert.isUndefined(yield* look(id))
      yield* local.mine(2)
      assert.deepStrictEqual(yield* watcher.standing(chain, deposit, "endpoint"), { _tag: "Gone" })
      const { found } = yield* watcher.finality(chain, deposit.block)
      assert.strictEqual(found, "skipped")
      const without = yield* watcher.scan(chain, cursor)
      assert.lengthOf(without.deposits.filter(({ transactionId }) => String(transactionId) === id), 0)
      local.chain.submit(readTransaction(new Uint8Array(Buffer.from(wire, "base64"))))
      yield* local.mine(2)
      const again = (yield* watcher.scan(chain, cursor)).deposits.filter(({ transactionId }) =>
        String(transactionId) === id
      )
      assert.lengthOf(again, 1)
      assert.isTrue((again[0]?.block.height ?? 0n) > deposit.block.height)
      assert.strictEqual(again[0]?.onchainId, deposit.onchainId)
      const standing = yield* watcher.standing(chain, deposit, "endpoint")
      assert.deepStrictEqual(standing._tag === "Included" ? standing.block : undefined, again[0]?.block)
    }))
})
