/**
 * The port `StepBuilder` on a local Bitcoin chain: what it asks for is signed and finalised by unmodified bitcoinjs-lib
 * and becomes the quoted deposit, for every kind of address that one key spends.
 */
import { assert, describe, it } from "@effect/vitest"
import { networks } from "bitcoinjs-lib"
import { Effect, Layer, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { keyOfName } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { sendWatcherContract, stepBuilderContract } from "../../../property-tests/family/Quoting.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { walletsOn } from "../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import type { Wallet } from "../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { layer as layerCoins } from "../coins/ListCoins.ts"
import { layer as layerExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinEndpoints, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { account, FINAL_AFTER, startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { layer as layerSends } from "../watch/DirectPayments.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"
import { layer } from "./Steps.ts"

type Local = Effect.Success<typeof startLocalBitcoin>
type Ports = StepBuilder | DepositWatcher | DirectPaymentWatcher

const RATE = FeeRate(3_000n)

const portsOf = ({ bitcoin, explorerUrl, url }: Local): Layer.Layer<Ports> =>
  Layer.mergeAll(layer.pipe(Layer.provide(layerCoins)), layerWatcher, layerSends).pipe(
    Layer.provide([
      layerRpc,
      layerExplorer({ url: Redacted.make(explorerUrl), access: { _tag: "Open" } }),
      Layer.succeed(BitcoinRates, { ceiling: RATE, rate: () => Effect.succeed(RATE) })
    ]),
    Layer.provide(Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [url]]]) }))
  )

const wallets = walletsOn(networks.regtest)
const [p2wpkh = assert.fail("none")] = wallets

const psbtOf = ({ items: [item] }: Step): string => {
  const data = item?.data
  return data !== undefined && "psbt" in data ? data.psbt : assert.fail("no PSBT")
}

/** As a public wallet adapter does it, and broadcast. */
const carryOut = ({ bitcoin, chain }: Local, wallet: Wallet, step: Step) =>
  Effect.map(
    Effect.promise(() => chain.submit(wallet.signed(psbtOf(step)).toBuffer())),
    (id) => Result.getOrThrow(parseTransactionId(bitcoin.family, id))
  )

const heldBy = ({ chain }: Local, address: string): bigint =>
  chain.ledger.coinsOf(address).reduce((sum, { value }) => sum + value, 0n)

/** Coins of a wallet, in a block. */
const give = Effect.fnUntraced(function*(local: Local, { script }: Wallet, ...amounts: ReadonlyArray<bigint>) {
  for (const amount of amounts) yield* Effect.promise(() => local.chain.fund(script, amount))
  yield* local.mine()
})

const layerContract = Layer.unwrap(Effect.gen(function*() {
  const local = yield* startLocalBitcoin
  const { bitcoin, mine, other, reorg } = local
  yield* give(local, p2wpkh, 10_000_000n, 10_000_000n, 10_000_000n)
  const fixture = FamilyFixture.of({
    chain: bitcoin,
    token: bitcoin.native,
    user: account(p2wpkh.address),
    stranger: account(other.address),
    refusing: undefined,
    balance: (of) => Effect.sync(() => heldBy(local, of)),
    deposit: () => Effect.die(new Error("no contract of the user's side asks for it")),
    carryOut: (step) => carryOut(local, p2wpkh, step),
    mine: mine(),
    finalise: mine(FINAL_AFTER),
    takeBack: reorg(1, "dropped")
  })
  return Layer.merge(Layer.succeed(FamilyFixture, fixture), portsOf(local))
}))

describe("StepBuilder and DirectPaymentWatcher of a Bitcoin chain", () => {
  for (const { check, name } of [...stepBuilderContract, ...sendWatcherContract]) {
    it.live(name, () => Effect.provide(check, Layer.fresh(layerContract)))
  }
})

describe("a user's own payment on a Bitcoin chain", () => {
  it.live("is none where it names two orders, alone or among others of its block", () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startLocalBitcoin
      const { bitcoin, coin, mine, other, saying, send, user } = local
      yield* Effect.gen(function*() {
        const sends = yield* DirectPaymentWatcher
        const cursor = yield* (yield* DepositWatcher).head(bitcoin)
        const paid = { script: other.script, amount: 5_000n }
        const [first, second] = [`0x${"01".repeat(32)}`, `0x${"02".repeat(32)}`]
        const two = yield* send([yield* coin(user)], [paid, saying(first), saying(second)])
        const one = yield* send([yield* coin(user)], [paid, saying(second)])
        yield* mine()
        const { payments } = yield* sends.scan(bitcoin, cursor)
        assert.deepStrictEqual(payments.map(({ orderId: id, transactionId }) => [transactionId, id]), [[one, second]])
        assert.isUndefined(yield* sends.look(bitcoin, two))
      }).pipe(Effect.provide(portsOf(local)))
    })))
})

const onChain = (body: (local: Local) => Effect.Effect<void, unknown, Ports | Scope.Scope>) => () =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startLocalBitcoin
    yield* Effect.provide(body(local), portsOf(local))
  }))

const orderId = OrderId.make(Hex32.make(`0x${"07".repeat(32)}`))
const named = { orderId, requestId: RequestId.make(`0x${"0a".repeat(32)}`), checkEndpoint: "/check" }

const intentOf = (
  { bitcoin }: Local,
  { address, publicKey }: Wallet,
  amount: bigint,
  changes: Partial<DepositIntent> = {}
): DepositIntent => ({
  origin: bitcoin,
  currency: bitcoin.native,
  amount,
  user: account(address),
  way: { _tag: "Depository" },
  userPublicKey: publicKey,
  ...changes
})

const prepare = (intent: DepositIntent) => Effect.flatMap(StepBuilder, (steps) => steps.prepare(intent))

const unfit = (intent: DepositIntent) =>
  Effect.map(Effect.flip(prepare(intent)), (error) => (error as DepositUnfit).reason)

describe("a deposit's PSBT on a chain", () => {
  for (const wallet of wallets) {
    it.live(
      `is signed, mined and counted as the order's deposit, at the fee that was said: ${wallet.kind}`,
      onChain((local) =>
        Effect.gen(function*() {
          const { bitcoin, mine } = local
          yield* give(local, wallet, 40_000n, 70_000n, 1_000n)
          const { gas, steps, userBalance } = yield* prepare(intentOf(local, wallet, 90_000n))
          assert.strictEqual(userBalance, 111_000n)
          const [step = assert.fail("no step"), ...more] = steps(named)
          assert.lengthOf(more, 0)
          const id = yield* carryOut(local, wallet, step)
          yield* mine()
          const [deposit, ...others] = (yield* (yield* DepositWatcher).look(bitcoin, id)) ?? []
          assert.lengthOf(others, 0)
          assert.deepInclude(deposit, { amount: 90_000n, depositId: orderId, depositor: account(wallet.address) })
          // The small coin costs little more than it holds, and two suffice.
          assert.strictEqual(heldBy(local, wallet.address), 111_000n - 90_000n - gas)
          const transaction = local.chain.ledger.transaction(id) ?? assert.fail("unknown")
          assert.isAtLeast(Number(gas), transaction.virtualSize() * 3)
        })
      )
    )
  }

  it.live(
    "needs the key that a P2TR address does not reveal, and is taken only with its signature",
    onChain((local) =>
      Effect.gen(function*() {
        const wallet = wallets.find(({ kind }) => kind === "P2TR") ?? assert.fail("none")
        yield* give(local, wallet, 40_000n, 70_000n)
        const { steps } = yield* prepare(intentOf(local, wallet, 90_000n))
        const keyless = yield* Effect.exit(prepare(intentOf(local, wallet, 90_000n, { userPublicKey: undefined })))
        assert.strictEqual(keyless._tag, "Failure")
        const forged = wallet.signed(psbtOf(steps(named)[0] ?? assert.fail("no step")))
        const [paid = assert.fail("no output")] = forged.outs
        paid.value -= 1n
        const answer = yield* Effect.promise(() => local.chain.submit(forged.toBuffer()).then(() => "taken", String))
        assert.include(answer, "Invalid Schnorr signature")
      })
    )
  )

  it.live(
    "asks for nothing that its user does not hold in blocks",
    onChain((local) =>
      Effect.gen(function*() {
        const { chain, explorerUrl, mine, setExplorerFault } = local
        const asked = intentOf(local, p2wpkh, 50_000n)
        assert.deepStrictEqual(yield* unfit(asked), { _tag: "UserUnfunded", needed: 50_000n, payable: 0n })
        yield* Effect.promise(() => chain.fund(p2wpkh.script, 60_000n))
        assert.deepInclude(yield* unfit(asked), { _tag: "UserUnfunded", payable: 0n })
        yield* mine()
        const { steps } = yield* prepare(asked)
        // To the satoshi: what is asked for as the most that it can pay, it can pay, and not one more.
        const short = yield* unfit(intentOf(local, p2wpkh, 60_000n))
        const payable = short._tag === "UserUnfunded" ? short.payable : 0n
        assert.strictEqual((yield* prepare(intentOf(local, p2wpkh, payable))).gas, 60_000n - payable)
        assert.strictEqual((yield* unfit(intentOf(local, p2wpkh, payable + 1n)))._tag, "UserUnfunded")
        // What waits to be spent is no longer there, even where the explorer still lists it.
        const listed = yield* Effect.promise(async () =>
          (await fetch(`${explorerUrl}/address/${p2wpkh.address}/utxo`)).json()
        )
        yield* carryOut(local, p2wpkh, steps(named)[0] ?? assert.fail("no step"))
        yield* setExplorerFault({ kind: "lie", methods: ["/address"], tell: () => listed })
        assert.deepInclude(yield* unfit(asked), { _tag: "UserUnfunded", payable: 0n })
      })
    )
  )

  it.live(
    "takes coins of the largest first, and asks a node for no more of them than it takes",
    onChain((local) =>
      Effect.gen(function*() {
        const { chain, mine, setFault } = local
        const dust = Array.from({ length: 30 }, () => ({ script: p2wpkh.script, amount: 2_000n }))
        yield* Effect.promise(() => chain.fund(p2wpkh.script, 500_000n))
        for (const { amount, script } of dust) yield* Effect.promise(() => chain.fund(script, amount))
        yield* mine()
        const asked: Array<unknown> = []
        yield* setFault({
          kind: "lie",
          methods: ["gettxout"],
          tell: (result) => {
            asked.push(result)
            return result
          }
        })
        const { steps, userBalance } = yield* prepare(intentOf(local, p2wpkh, 400_000n))
        assert.strictEqual(userBalance, 560_000n)
        assert.lengthOf(p2wpkh.signed(psbtOf(steps(named)[0] ?? assert.fail("no step"))).ins, 1)
        assert.isBelow(asked.length, 31)
        // All of them where they are needed.
        const all = yield* prepare(intentOf(local, p2wpkh, 540_000n))
        assert.isAbove(p2wpkh.signed(psbtOf(all.steps(named)[0] ?? assert.fail("no step"))).ins.length, 20)
      })
    )
  )

  it.live(
    "is refused for an amount that no node relays, and leaves change that none relays to the fee",
    onChain((local) =>
      Effect.gen(function*() {
        yield* give(local, p2wpkh, 60_000n)
        const least = dustOf(local.depository.script)
        assert.deepStrictEqual(yield* unfit(intentOf(local, p2wpkh, least - 1n)), { _tag: "Dust", least })
        const short = yield* unfit(intentOf(local, p2wpkh, 60_000n))
        const payable = short._tag === "UserUnfunded" ? short.payable : 0n
        const { gas, steps } = yield* prepare(intentOf(local, p2wpkh, payable - 100n))
        assert.strictEqual(gas, 60_000n - payable + 100n)
        const transaction = p2wpkh.signed(psbtOf(steps(named)[0] ?? assert.fail("no step")))
        assert.deepStrictEqual(transaction.outs.map(({ value }) => value), [payable - 100n, 0n])
      })
    )
  )
})

describe("a deposit address's step on a chain", () => {
  const address = account(keyOfName("causeway.contracts.bitcoin.address").address)
  const way = { _tag: "Address", factory: undefined, depositor: address, address: undefined } as const
  const at = { ...named, depositAddress: address }

  it.live(
    "is a plain payment that names no order, where the user has the coins",
    onChain((local) =>
      Effect.gen(function*() {
        yield* give(local, p2wpkh, 100_000n)
        const { gas, steps } = yield* prepare(intentOf(local, p2wpkh, 90_000n, { way }))
        const [step = assert.fail("no step")] = steps(at)
        assert.strictEqual(step.depositAddress, address)
        const id = yield* carryOut(local, p2wpkh, step)
        yield* local.mine()
        assert.strictEqual(heldBy(local, address), 90_000n)
        assert.strictEqual(heldBy(local, p2wpkh.address), 10_000n - gas)
        const { outs } = local.chain.ledger.transaction(id) ?? assert.fail("unknown")
        assert.isTrue(outs.every(({ script }) => script[0] !== 0x6a))
      })
    )
  )

  it.live(
    "has nothing to sign for a user without coins, or whose coins one key does not spend: anybody can pay",
    onChain((local) =>
      Effect.gen(function*() {
        const p2wsh = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry"
        for (const user of [p2wpkh, { ...p2wpkh, address: p2wsh }]) {
          const { gas, steps, userBalance } = yield* prepare(intentOf(local, user, 90_000n, { way }))
          const [step = assert.fail("no step"), ...more] = steps(at)
          assert.lengthOf(more, 0)
          assert.strictEqual(step.depositAddress, address)
          assert.deepStrictEqual([psbtOf(step), gas, userBalance], ["", 0n, 0n])
        }
      })
    )
  )

  it.live(
    "is refused where no node relays the payment",
    onChain((local) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* unfit(intentOf(local, p2wpkh, 200n, { way })))._tag, "Dust")
      })
    )
  )
})
