/** Payments on a local Tron chain: executed once, and signed again only when the first is proven dead. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { NodeFault } from "../../../hosts/localnet/nodes/NodeFault.ts"
import { toEvm } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { burner, refuser, taker } from "../../../hosts/localnet/nodes/tron/testing/OddContracts.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import type { FillPayment, Payment, PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { LIFETIME_MINUTES, newAccount, startPayingTron } from "../testing/PayingTron.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<ReturnType<typeof startPayingTron>>>()("test/TronStage") {
  static readonly layer = (hosts: number) => Layer.effect(Fixture, startPayingTron(hosts))
}

const TRX = 1_000_000n
/** In blocks, which are three seconds apart here. */
const LIFETIME = LIFETIME_MINUTES * 20

let orders = 0

const paymentTo = Effect.fnUntraced(function*(recipient: Address, amount: bigint, currency?: Currency) {
  const { chain, native } = yield* Fixture
  orders += 1
  return {
    _tag: "Payout",
    chain,
    currency: currency ?? native,
    recipient,
    amount,
    orderId: OrderId.make(`0x${orders.toString(16).padStart(2, "0")}${"ab".repeat(31)}`)
  } satisfies PlainPayment
})

const signed = Effect.fnUntraced(function*(payment: Payment, sequence: bigint = 0n) {
  const treasury = yield* Treasury
  const prepared = yield* treasury.prepare(payment)
  return yield* prepared.sign(sequence, [])
})

const outcomeOf = Effect.fnUntraced(function*(one: SignedPayment, by: ReadBy = "endpoint") {
  const { chain } = yield* Fixture
  const treasury = yield* Treasury
  return yield* treasury.outcome(chain, [one], by)
})

const send = Effect.fnUntraced(function*(one: SignedPayment) {
  const { chain } = yield* Fixture
  const treasury = yield* Treasury
  return yield* treasury.broadcast(chain, one)
})

const refusal = (payment: Payment) =>
  Effect.gen(function*() {
    const treasury = yield* Treasury
    const refused = yield* Effect.flip(treasury.prepare(payment))
    return refused instanceof PaymentRefused ? refused.reason : refused._tag
  })

/** Broadcast, and in a block. */
const pay = Effect.fnUntraced(function*(payment: Payment, sequence: bigint = 0n) {
  const { tron } = yield* Fixture
  const one = yield* signed(payment, sequence)
  assert.strictEqual(yield* send(one), "accepted")
  yield* tron.mine()
  return one
})

const calm = Effect.flatMap(Fixture, ({ nodes }) => Effect.forEach(nodes, ({ setFault }) => setFault(undefined)))

const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The honest answer with other members. */
const lie = (methods: ReadonlyArray<string>, members: Readonly<Record<string, unknown>>): NodeFault => ({
  kind: "lie",
  methods,
  tell: (said) => isRecord(said) ? { ...said, ...members } : said
})

/** With the adapter's ports over this file's chain. */
const withFixture = <A, E>(program: Effect.Effect<A, E, Gas | SentTransactions | Fixture | Treasury>) =>
  Effect.flatMap(Fixture, (fixture) => Effect.ensuring(Effect.provide(program, fixture.ports), calm))

layer(Fixture.layer(1), { excludeTestServices: true })("the Tron treasury", (it) => {
  it.effect("pays TRX once however often it is broadcast, names the order in its memo, and costs what was estimated", () =>
    withFixture(Effect.gen(function*() {
      const { balance, chain, native, own, tron } = yield* Fixture
      const gas = yield* Gas
      const treasury = yield* Treasury
      const recipient = newAccount()
      // Its first payment creates the account, which is 1.1 TRX in place of bandwidth. The memo is 1 TRX.
      for (const isFirst of [true, false]) {
        const payment = yield* paymentTo(recipient, 3n * TRX)
        const before = yield* balance(own, native)
        const estimate = yield* gas.ofPayment(payment)
        assert.strictEqual(estimate, isFirst ? 2_100_000n : estimate)
        assert.deepStrictEqual(yield* gas.opening(payment), nothingToOpen)
        const { costs, sign } = yield* treasury.prepare(payment)
        assert.deepStrictEqual(costs.map(({ amount, holder }) => [holder, amount]), [[own, 3n * TRX + estimate]])
        const one = yield* sign(7n, [])
        assert.strictEqual((yield* outcomeOf(one))._tag, "Unseen")
        for (let times = 0; times < 3; times += 1) assert.strictEqual(yield* send(one), "accepted")
        assert.strictEqual((yield* outcomeOf(one))._tag, "Pending")
        yield* tron.mine()
        const outcome = yield* outcomeOf(one)
        assert.deepInclude(outcome, { _tag: "Included", succeeded: true, final: false })
        const taken = before - (yield* balance(own, native)) - 3n * TRX
        assert.strictEqual(outcome._tag === "Included" ? outcome.gasPaid : 0n, taken)
        // The bytes are counted with the greatest amount and times.
        assert.isTrue(taken <= estimate && estimate - taken <= 20_000n, `${taken} of ${estimate}`)
        assert.strictEqual(
          tron.chain.ledger.placeOf(one.transactionId)?.executed.transaction.raw_data.data,
          payment.orderId.slice(2)
        )
        yield* tron.solidify
        assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", final: true })
        yield* tron.mine(LIFETIME)
        // What was executed stays so after its expiration, and is not executed again.
        assert.strictEqual(yield* send(one), "accepted")
        yield* tron.mine()
        assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", final: true })
      }
      assert.strictEqual(yield* balance(recipient, native), 6n * TRX)
      assert.deepStrictEqual(yield* treasury.inventory(chain, native, "account"), [yield* balance(own, native)])
      assert.deepStrictEqual(yield* treasury.inventory(chain, native, "vault"), [0n])
    })))

  it.effect("pays tokens whose transfer returns true, or false as USDT's does, and offers a fifth more than the trial took", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, own, tron, usdc, usdt } = yield* Fixture
      const gas = yield* Gas
      for (const token of [usdc, usdt]) {
        const recipient = newAccount()
        const payment = yield* paymentTo(recipient, 70_000n, token)
        const [held, before] = [yield* balance(own, token), yield* balance(own, native)]
        const estimate = yield* gas.ofPayment(payment)
        const one = yield* pay(payment)
        const outcome = yield* outcomeOf(one)
        assert.deepInclude(outcome, { _tag: "Included", succeeded: true })
        assert.strictEqual(yield* balance(recipient, token), 70_000n)
        assert.strictEqual(held - (yield* balance(own, token)), 70_000n)
        const gasPaid = outcome._tag === "Included" ? outcome.gasPaid : 0n
        assert.strictEqual(before - (yield* balance(own, native)), gasPaid)
        assert.isTrue(gasPaid > 0n && gasPaid <= estimate, `${gasPaid} of ${estimate}`)
        const executed = tron.chain.ledger.placeOf(one.transactionId)?.executed ?? assert.fail("it is in no block")
        const limit = executed.transaction.raw_data.fee_limit ?? 0
        // What it took, and a fifth. A trial measures with some gas to spare.
        assert.isTrue(limit >= executed.energy * 120 && limit <= executed.energy * 150, `${limit} ${executed.energy}`)
      }
    })))

  it.effect("refuses a token that keeps a part, and does not count it as paid where the trial hid that", () =>
    withFixture(Effect.gen(function*() {
      const { balance, greedyToken, nodes: [node], own } = yield* Fixture
      const gas = yield* Gas
      const token = yield* greedyToken
      const recipient = newAccount()
      const payment = yield* paymentTo(recipient, 1_000n, token)
      for (const refused of [yield* Effect.flip(gas.ofPayment(payment)), yield* Effect.flip(signed(payment))]) {
        assert.deepInclude(refused, {
          reason: "reverts",
          unpayable: { chainId: payment.chain.id, currency: token.address }
        })
      }
      // As if it began to keep a part only after the trial.
      const word = (account: string) => account.slice(2).padStart(64, "0")
      yield* node?.setFault(lie(["/wallet/triggerconstantcontract"], {
        logs: [{
          address: toEvm(token.address).slice(2),
          topics: [topics.transfer.slice(2), word(toEvm(own)), word(toEvm(recipient))],
          data: (1_000).toString(16).padStart(64, "0")
        }]
      })) ?? Effect.void
      const one = yield* pay(payment)
      yield* calm
      assert.strictEqual(yield* balance(recipient, token), 990n)
      assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", succeeded: false, deliveredPart: 990n })
    })))

  it.effect("does not count a call as paid that ran out of energy, and tells what it burnt", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, nodes: [node], own, usdc } = yield* Fixture
      const recipient = newAccount()
      const payment = yield* paymentTo(recipient, 70_000n, usdc)
      yield* node?.setFault(lie(["/wallet/triggerconstantcontract"], { energy_used: 500 })) ?? Effect.void
      const before = yield* balance(own, native)
      const one = yield* pay(payment)
      yield* calm
      const outcome = yield* outcomeOf(one)
      assert.deepInclude(outcome, { _tag: "Included", succeeded: false })
      assert.notProperty(outcome, "deliveredPart")
      assert.strictEqual(yield* balance(recipient, usdc), 0n)
      assert.strictEqual(outcome._tag === "Included" ? outcome.gasPaid : 0n, before - (yield* balance(own, native)))
    })))

  it.effect("pays TRX to a contract only by a call that a trial shows to succeed", () =>
    withFixture(Effect.gen(function*() {
      const { balance, contract, native } = yield* Fixture
      const [takes, refuses] = [yield* contract(taker), yield* contract(refuser)]
      const payment = yield* paymentTo(takes, 2n * TRX)
      const one = yield* pay(payment)
      assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", succeeded: true })
      assert.strictEqual(yield* balance(takes, native), 2n * TRX)
      const sent = yield* SentTransactions
      assert.deepStrictEqual((yield* sent.find(payment.chain, one.transactionId))?.payment, {
        orderId: payment.orderId,
        recipient: takes,
        currency: native.address,
        amount: 2n * TRX
      })
      assert.strictEqual(yield* refusal(yield* paymentTo(refuses, TRX)), "reverts")
      const gas = yield* Gas
      assert.isAbove(Number(yield* gas.ofPayment(payment)), 0)
      assert.deepInclude(yield* Effect.flip(gas.ofPayment(yield* paymentTo(refuses, TRX))), { reason: "reverts" })
    })))

  it.effect("refuses what it cannot fund, what the chain does not transfer, and payments that are more than plain", () =>
    withFixture(Effect.gen(function*() {
      const { balance, chain, native, own, usdc } = yield* Fixture
      const recipient = newAccount()
      const held = yield* balance(own, native)
      assert.strictEqual(yield* refusal(yield* paymentTo(recipient, held + 1n)), "insufficient-funds")
      // Enough for the amount, and not for its fee.
      assert.strictEqual(yield* refusal(yield* paymentTo(recipient, held)), "insufficient-funds")
      assert.strictEqual(
        yield* refusal(yield* paymentTo(recipient, (yield* balance(own, usdc)) + 1n, usdc)),
        "insufficient-funds"
      )
      assert.strictEqual(yield* refusal(yield* paymentTo(own, TRX)), "reverts")
      // No contract is at the token's address.
      assert.strictEqual(
        yield* Effect.map(
          Effect.flip(
            signed(yield* paymentTo(recipient, 1n, { ...usdc, address: asCurrency(newAccount()) }))
          ),
          ({ _tag }) => _tag
        ),
        "ChainUnavailable"
      )
      const fill: FillPayment = {
        ...(yield* paymentTo(recipient, TRX)),
        _tag: "Fill",
        chain,
        topup: 0n,
        authorizations: [],
        calls: undefined
      }
      yield* signed(fill)
      assert.strictEqual(yield* refusal({ ...fill, topup: 1n }), "reverts")
      assert.strictEqual(yield* refusal({ ...fill, _tag: "Fallback" }), "reverts")
    })))

  it.effect("makes two equal payments of one order as two transactions, though they name the same block", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, tron } = yield* Fixture
      const payment = yield* paymentTo(newAccount(), TRX)
      const [first, second] = [yield* signed(payment, 4n), yield* signed(payment, 5n)]
      assert.notStrictEqual(first.transactionId, second.transactionId)
      yield* send(first)
      yield* send(second)
      yield* tron.mine()
      assert.strictEqual(yield* balance(payment.recipient, native), 2n * TRX)
    })))

  it.effect("reports a payment as expired only when the solidified chain is past its expiration, whatever the newest block is", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, tron } = yield* Fixture
      const payment = yield* paymentTo(newAccount(), TRX)
      const lost = yield* signed(payment)
      const expiration = readStored(lost.raw)?.expiration ?? 0
      while (tron.chain.ledger.solid.timestamp < expiration) {
        yield* tron.mine(1)
        if (tron.chain.ledger.solid.timestamp >= expiration) break
        // Even when no block on top of the newest one may hold it: a fork may still.
        assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
      }
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
      // The chain does not accept it any more, whatever is sent to a node.
      assert.strictEqual(yield* send(lost), "accepted")
      yield* tron.mine()
      assert.strictEqual(yield* balance(payment.recipient, native), 0n)
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
    })))

  it.effect("proves nothing by a node that fails, whose parts are apart, or that keeps too little history", () =>
    withFixture(Effect.gen(function*() {
      const { nodes: [node], tron } = yield* Fixture
      const set = (fault: NodeFault) => node?.setFault(fault) ?? Effect.void
      const lost = yield* signed(yield* paymentTo(newAccount(), TRX))
      const paid = yield* pay(yield* paymentTo(newAccount(), TRX))
      yield* tron.mine(LIFETIME + 20)
      const doubted = (one: SignedPayment) => Effect.map(Effect.flip(outcomeOf(one)), ({ _tag }) => _tag)
      for (
        const method of [
          "/walletsolidity/getblock",
          "/walletsolidity/gettransactioninfobyid",
          "/walletsolidity/gettransactionbyid",
          "/wallet/gettransactioninfobyid",
          "eth_chainId"
        ]
      ) {
        yield* set({ methods: [method], kind: "error", code: -32_000, message: "no" })
        assert.strictEqual(yield* doubted(lost), "ChainUnavailable", method)
      }
      // Its history begins after the block that the payment names.
      yield* set({
        methods: ["/walletsolidity/getblock"],
        kind: "lie",
        tell: (said, _, asked) => isRecord(asked) && asked["id_or_num"] !== undefined ? {} : said
      })
      assert.strictEqual(yield* doubted(lost), "ChainUnavailable")
      // One part does not show what the other has.
      for (const part of ["/wallet", "/walletsolidity"]) {
        yield* set({ methods: [`${part}/gettransactioninfobyid`], kind: "lie", tell: () => ({}) })
        assert.strictEqual(yield* doubted(paid), "ChainUnavailable", part)
      }
      // A solidified part that is far behind: what is signed now would expire at once.
      yield* set({
        methods: ["/walletsolidity/getblock"],
        kind: "lie",
        tell: (said) => {
          const { timestamp } = tron.chain.ledger.solid
          const text = JSON.stringify(said).replaceAll(`${timestamp}`, `${timestamp - LIFETIME_MINUTES * 60_000}`)
          return JSON.parse(text) as unknown
        }
      })
      assert.strictEqual(yield* refusal(yield* paymentTo(newAccount(), TRX)), "ChainUnavailable")
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
      yield* calm
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
      assert.deepInclude(yield* outcomeOf(paid), { _tag: "Included", final: true })
    })))

  it.effect("waits when a fork has replaced the block that it names, and then has expired", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, tron } = yield* Fixture
      yield* tron.mine(10)
      const payment = yield* paymentTo(newAccount(), TRX)
      const lost = yield* signed(payment)
      // Deeper than the chain promises.
      yield* tron.reorg(25)
      assert.strictEqual(yield* send(lost), "accepted")
      yield* tron.mine()
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
      assert.strictEqual(yield* balance(payment.recipient, native), 0n)
      yield* tron.mine(LIFETIME + 20)
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
      yield* pay(payment, 1n)
      assert.strictEqual(yield* balance(payment.recipient, native), TRX)
    })))

  it.effect("keeps its bytes to itself while it cannot sign, and asks no node with them before they are broadcast", () =>
    withFixture(Effect.gen(function*() {
      const { nodes: [node], state } = yield* Fixture
      const payment = yield* paymentTo(newAccount(), TRX)
      state.isSigning = false
      assert.strictEqual((yield* Effect.flip(signed(payment)))._tag, "SignerUnavailable")
      state.isSigning = true
      const seen: Array<string> = []
      yield* node?.setFault({
        kind: "lie",
        tell: (said, method, asked) => {
          seen.push(`${method} ${JSON.stringify(asked)}`)
          return said
        }
      }) ?? Effect.void
      const one = yield* signed(payment)
      const signature = one.raw.slice(0, one.raw.indexOf(".")).slice(-130)
      assert.isAbove(seen.length, 0)
      assert.isFalse(seen.some((each) => each.includes(signature) || each.includes("broadcast")))
    })))

  it.effect("lists after a restore everything that was paid, and knows when no earlier payment can appear any more", () =>
    withFixture(Effect.gen(function*() {
      const { chain, own, tron, usdc } = yield* Fixture
      const sent = yield* SentTransactions
      const start = (yield* sent.position(chain, own, "quorum")).height + 1n
      const recipient = newAccount()
      const payments = [yield* paymentTo(recipient, TRX), yield* paymentTo(recipient, 70_000n, usdc)]
      for (const payment of payments) yield* pay(payment)
      const forgotten = yield* signed(yield* paymentTo(recipient, TRX))
      const { counted, sequence: fence } = yield* sent.position(chain, own, "quorum")
      assert.isFalse(counted)
      // More blocks than one request reads.
      yield* tron.mine(7)
      const found = yield* sent.between(chain, start, (yield* sent.position(chain, own, "quorum")).height, "quorum")
      assert.deepStrictEqual(
        found.map(({ account, payment, sequence, succeeded }) => [account, payment, sequence, succeeded]),
        payments.map((
          { amount, currency, orderId, recipient: to }
        ) => [own, { orderId, recipient: to, currency: currency.address, amount }, undefined, true])
      )
      assert.deepStrictEqual(sent.accountsOn(chain), [own])
      // Until solidified blocks pass the fence, a lost payment may still be executed. After that it never can be.
      while ((yield* sent.position(chain, own, "quorum")).finalSequence < fence) {
        assert.notStrictEqual((yield* outcomeOf(forgotten))._tag, "Included")
        yield* tron.mine(10)
      }
      assert.strictEqual((yield* outcomeOf(forgotten))._tag, "Expired")
      // Payments that were found are followed like stored ones.
      for (const each of found) assert.deepInclude(yield* outcomeOf(each), { _tag: "Included", final: true })
    })))
})

layer(Fixture.layer(3), { excludeTestServices: true })("the Tron treasury over three nodes", (it) => {
  it.effect("does not believe the one node it asks that a payment has expired", () =>
    withFixture(Effect.gen(function*() {
      const { balance, native, nodes: [liar], tron } = yield* Fixture
      const payment = yield* paymentTo(newAccount(), TRX)
      const one = yield* pay(payment)
      // It shows solidified blocks of tomorrow, and hides the payment.
      yield* liar?.setFault({
        kind: "lie",
        tell: (said, method) => {
          if (method.includes("gettransaction")) return {}
          return JSON.parse(
            JSON.stringify(said).replaceAll(/"timestamp":(\d+)/g, (_, at) => `"timestamp":${Number(at) + 86_400_000}`)
          ) as unknown
        }
      }) ?? Effect.void
      for (const by of ["endpoint", "quorum"] as const) {
        const { _tag } = yield* outcomeOf(one, by).pipe(
          Effect.catch(() => Effect.succeed({ _tag: "ChainUnavailable" as const }))
        )
        assert.include(["Included", "Unseen", "Pending", "ChainUnavailable"], _tag)
      }
      yield* tron.mine(LIFETIME + 20)
      assert.deepInclude(yield* outcomeOf(one, "quorum"), { _tag: "Included", final: true })
      assert.strictEqual(yield* balance(payment.recipient, native), TRX)
    })))

  it.effect("signs nothing that names a block which only one node has", () =>
    withFixture(Effect.gen(function*() {
      const { nodes, tron } = yield* Fixture
      yield* tron.mine(2)
      const invented: NodeFault = {
        kind: "lie",
        methods: ["/walletsolidity/getblock"],
        tell: (said) =>
          JSON.parse(
            JSON.stringify(said).replace(/"blockID":"(.{16})../, (_, height) => `"blockID":"${String(height)}ff`)
          ) as unknown
      }
      const payment = yield* paymentTo(newAccount(), TRX)
      for (const node of nodes) yield* node.setFault(node === nodes[0] ? invented : undefined)
      assert.strictEqual(yield* refusal(payment), "ChainUnavailable")
      yield* calm
      yield* signed(payment)
    })))

  it.effect("signs no call for which one node tells too little energy, or more than the token moves", () =>
    withFixture(Effect.gen(function*() {
      const { greedyToken, native, nodes, usdc } = yield* Fixture
      const [liar] = nodes
      const [payment, greedy] = [yield* paymentTo(newAccount(), 70_000n, usdc), yield* greedyToken]
      const energy = ["/wallet/triggerconstantcontract"]
      yield* liar?.setFault(lie(energy, { energy_used: 500 })) ?? Effect.void
      assert.strictEqual(yield* refusal(payment), "ChainUnavailable")
      // No call, no energy.
      yield* signed(yield* paymentTo(newAccount(), TRX, native))
      // A token that keeps a part, and a node that hides it.
      const kept = yield* paymentTo(newAccount(), 1_000n, greedy)
      const word = (account: string) => toEvm(account).slice(2).padStart(64, "0")
      yield* liar?.setFault(lie(energy, {
        logs: [{
          address: toEvm(greedy.address).slice(2),
          topics: [topics.transfer.slice(2), word((yield* Fixture).own), word(kept.recipient)],
          data: (1_000).toString(16).padStart(64, "0")
        }]
      })) ?? Effect.void
      assert.strictEqual(yield* refusal(kept), "ChainUnavailable")
      yield* calm
      assert.strictEqual(yield* refusal(kept), "reverts")
      yield* signed(payment)
      // Two liars are the quorum.
      for (const node of nodes.slice(0, 2)) yield* node.setFault(lie(energy, { energy_used: 500 }))
      yield* signed(payment)
    })))

  it.effect("signs no call at a price of energy that only one node tells, for a token or for a contract", () =>
    withFixture(Effect.gen(function*() {
      const { contract, nodes: [liar], usdc } = yield* Fixture
      const recipient = yield* contract(burner(3))
      const telling = (price: number): NodeFault => ({
        kind: "lie",
        methods: ["/wallet/getchainparameters"],
        tell: (said) =>
          JSON.parse(
            JSON.stringify(said).replace(/("getEnergyFee","value":)\d+/, (_, key) => `${String(key)}${price}`)
          ) as unknown
      })
      // Too little for the call; too much for a stranger's contract.
      for (
        const [price, payment] of [
          [1, yield* paymentTo(newAccount(), 70_000n, usdc)],
          [100_000, yield* paymentTo(recipient, TRX)]
        ] as const
      ) {
        yield* liar?.setFault(telling(price)) ?? Effect.void
        const { ports } = yield* Fixture
        // Prices are kept for a minute: other ports know none yet.
        const said = yield* Effect.provide(refusal(payment), Layer.fresh(ports))
        assert.strictEqual(said, "ChainUnavailable", `${price}`)
        yield* calm
        yield* Effect.provide(signed(payment), Layer.fresh(ports))
      }
    })))
})
