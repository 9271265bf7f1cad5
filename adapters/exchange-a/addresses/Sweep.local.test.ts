/** Deposit addresses on a simulated exchange A: what they hold, and sweeps, with their payments in a store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { USDC } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { addressBalancesContract } from "../../../property-tests/family/Quoting.ts"
import { layer as layerStore } from "../../../property-tests/memory-store/index.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { RESIDUE, residueTransfer } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { readStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { exchangeA as rules } from "../../../src/domain/families/exchange-a/Rules.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { newAccount, startPayingExchangeA, TOKEN } from "../testing/PayingExchangeA.ts"

type Local = Effect.Success<ReturnType<typeof startPayingExchangeA>> & { readonly address: Address }
type Ports = Payments | Layer.Success<Local["ports"]>

const USD = 100_000_000n
const HOUR = 3_600_000

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const place = { generation: 7, number: 9 }
const DEPOSITOR = newAccount()

/** Over that many endpoints. */
const onExchange = (body: (local: Local) => Effect.Effect<void, unknown, Ports | Scope.Scope>, hosts = 1) => () =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startPayingExchangeA(hosts)
    local.book.credit(local.chain.depository, "", USD)
    const program = Effect.gen(function*() {
      const derive = (yield* DepositKeyring).deriverOf(rules) ?? assert.fail("no seed")
      yield* body({ ...local, address: yield* derive(place) })
    })
    yield* Effect.provide(program, Layer.merge(local.ports, layerStore))
  }))

const tokenOf = ({ symbol }: Currency) => symbol === TOKEN.name ? TOKEN : USDC

/** What somebody pays to the address. */
const pay = ({ address, book }: Local, currency: Currency, amount: bigint) =>
  Effect.sync(() => book.credit(address, currency.isNative ? "" : "spot", amount, tokenOf(currency)))

const sweepOf = (
  { address, chain }: Local,
  n: number,
  { address: currency }: Currency,
  units: bigint
): SweepPayment => ({
  _tag: "Sweep",
  chain,
  currency: chain.native,
  recipient: address,
  amount: 0n,
  orderId: OrderId.make(id(n)),
  sweep: {
    address,
    key: place,
    orderId: OrderId.make(id(1_000)),
    depositor: DEPOSITOR,
    depositId: OrderId.make(id(2_000 + n)),
    currency,
    units
  }
})

/** Prepared, signed and stored. */
const sign = (local: Local, n: number, currency: Currency, units: bigint) =>
  Effect.gen(function*() {
    const payment = sweepOf(local, n, currency, units)
    const prepared = yield* (yield* Treasury).prepare(payment)
    return yield* (yield* Payments).signOnce("sweep", Hex32.make(id(n)), payment, prepared, n)
  })

const send = ({ chain }: Local, payment: StoredPayment) =>
  Effect.flatMap(Treasury, ({ broadcast }) => broadcast(chain, payment))

const outcome = ({ chain }: Local, payment: StoredPayment) =>
  Effect.flatMap(Treasury, (treasury) => treasury.outcome(chain, payment.variants, "quorum"))

const included = Effect.fnUntraced(function*(local: Local, payment: StoredPayment) {
  const landed = yield* outcome(local, payment)
  return landed._tag === "Included" ? landed : assert.fail(landed._tag)
})

const sweep = Effect.fnUntraced(function*(local: Local, payment: StoredPayment) {
  assert.strictEqual(yield* send(local, payment), "accepted")
  return yield* included(local, payment)
})

const held = ({ address, chain }: Local, currency: Currency) =>
  Effect.gen(function*() {
    const [reading] = yield* (yield* AddressBalances).read(chain, address, [currency])
    return reading?._tag === "Read" ? reading.units : assert.fail("unread")
  })

const reasonOf = <E, R>(refused: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.flip(refused), (error) => (error as { readonly reason?: string }).reason)

interface SignedTransfer {
  readonly transfer: SendAsset
  readonly signature: Hex | undefined
}

const transferOf = ({ raw }: StoredPayment): SignedTransfer => {
  const { signatures, transfer } = readStored(raw) ?? assert.fail("no payment")
  return { transfer, signature: signatures?.transfer }
}

const residueOf = ({ address }: Local, { raw }: StoredPayment): SignedTransfer => {
  const { sweep: stored, transfer } = readStored(raw) ?? assert.fail("no payment")
  return { transfer: residueTransfer("Mainnet", address, transfer.nonce), signature: stored?.residue }
}

/** What was signed, submitted by somebody who has kept the bytes. Returns the exchange's answer. */
const submitted = ({ exchange: { urls } }: Local, { signature, transfer }: SignedTransfer) =>
  Effect.promise(async () => {
    const { _tag, nonce, ...parameters } = transfer
    const signed = signature ?? assert.fail("no signature")
    const answer = await fetch(`${urls[0] ?? ""}/exchange`, {
      method: "POST",
      body: JSON.stringify({
        action: { type: "sendAsset", signatureChainId: "0xa4b1", ...parameters, nonce: Number(nonce) },
        nonce: Number(nonce),
        signature: { r: signed.slice(0, 66), s: `0x${signed.slice(66, 130)}`, v: Number(`0x${signed.slice(130)}`) }
      })
    })
    return answer.text()
  })

describe("AddressBalances of exchange A", () => {
  for (const { check, name } of addressBalancesContract) {
    it.live(name, () =>
      Effect.scoped(Effect.gen(function*() {
        const { balance, book, chain, ports, token } = yield* startPayingExchangeA(1)
        const none = Effect.die(new Error("no contract of balances asks for it"))
        const user = newAccount()
        book.credit(user, "", 5n * USD)
        book.credit(user, "spot", 77n, TOKEN)
        const fixture = FamilyFixture.of({
          chain,
          token,
          user,
          stranger: newAccount(),
          refusing: undefined,
          balance,
          deposit: () => none,
          carryOut: () => none,
          mine: Effect.void,
          finalise: Effect.void,
          takeBack: none
        })
        yield* Effect.provide(check, Layer.merge(Layer.succeed(FamilyFixture, fixture), ports))
      })))
  }

  it.live(
    "are what perps can move, and of USDC on spot no less than a cent",
    onExchange((local) =>
      Effect.gen(function*() {
        const { native, spotUsdc } = local
        yield* pay(local, native, 5n * USD + 17n)
        yield* pay(local, spotUsdc, 999_999n)
        assert.deepStrictEqual([yield* held(local, native), yield* held(local, spotUsdc)], [5n * USD, 0n])
        yield* pay(local, spotUsdc, 1n)
        assert.strictEqual(yield* held(local, spotUsdc), 1_000_000n)
      })
    )
  )
})

describe("the sweep of an exchange A deposit address", () => {
  it.live(
    "deposits what was paid to the unit, for its order, and the address keeps a millionth of the solver's",
    onExchange((local) =>
      Effect.gen(function*() {
        const { address, balance, book, chain, native, oracle, solver, spotUsdc, token } = local
        const gas = yield* Gas
        let kept = 0n
        for (const [n, currency] of [native, token, spotUsdc].entries()) {
          yield* pay(local, currency, 7n * USD)
          const units = yield* held(local, currency)
          assert.strictEqual(yield* gas.ofSweep(chain, currency), RESIDUE)
          assert.strictEqual(yield* gas.ofPayment(sweepOf(local, n, currency, units)), RESIDUE)
          const [rich, before] = [
            yield* balance(solver.account, native),
            yield* balance(chain.depository, currency)
          ]
          // On spot, the earlier residue is paid in with the next USDC.
          assert.strictEqual(units, 7n * USD + (currency === spotUsdc ? kept : 0n))
          const payment = yield* sign(local, n, currency, units)
          const { final, gasPaid, succeeded, transactionId } = yield* sweep(local, payment)
          assert.isTrue(final && succeeded)
          assert.strictEqual(gasPaid, rich - (yield* balance(solver.account, native)))
          assert.strictEqual(gasPaid, n === 1 ? 0n : RESIDUE)
          assert.strictEqual((yield* balance(chain.depository, currency)) - before, units)
          kept = yield* balance(address, spotUsdc)
          assert.strictEqual(kept, RESIDUE)
          assert.isTrue(book.exists(address))
          assert.strictEqual(yield* held(local, currency), 0n)
          const [attested] = yield* Effect.provide(
            Effect.flatMap(ChainObserver, ({ observe }) => observe(chain, [transactionId])),
            oracle
          )
          assert(attested?._tag === "Transaction")
          assert.deepInclude(attested.deposits[0], {
            depositId: OrderId.make(id(2_000 + n)),
            depositor: address,
            amount: units,
            currency: currency.address
          })
          assert.strictEqual(yield* reasonOf(sign(local, 50 + n, currency, units)), "reverts")
        }
        // The account's own transfers are no payments, and the doctor finds the sweep.
        const sent = yield* SentTransactions
        const { height } = yield* sent.position(chain, solver.account, "endpoint")
        const listed = yield* sent.between(chain, 0n, height + 5n, "quorum")
        assert.deepStrictEqual(
          listed.map(({ movesNothing, nameless, payment }) => [movesNothing, payment, nameless]),
          [[true, undefined, undefined], [true, undefined, undefined]]
        )
        const [last] = book.ofAccount(address)
        const landed = yield* included(
          local,
          yield* (yield* Payments).find(OrderId.make(id(0)), "sweep").pipe(
            Effect.map((found) => found ?? assert.fail("not stored"))
          )
        )
        assert.isDefined(last)
        assert.deepInclude(yield* sent.find(chain, landed.transactionId), {
          account: solver.account,
          movesNothing: true,
          payment: undefined,
          succeeded: true
        })
      })
    )
  )

  it.live(
    "takes no more than was seen, so that what comes meanwhile is another deposit",
    onExchange((local) =>
      Effect.gen(function*() {
        const { balance, chain, native } = local
        yield* pay(local, native, 7n * USD)
        yield* pay(local, native, 5n * USD)
        const before = yield* balance(chain.depository, native)
        yield* sweep(local, yield* sign(local, 1, native, 7n * USD))
        assert.strictEqual((yield* balance(chain.depository, native)) - before, 7n * USD)
        assert.strictEqual(yield* held(local, native), 5n * USD)
      })
    )
  )

  it.live(
    "is made once, with its residue, whatever breaks off between the two transfers",
    onExchange((local) =>
      Effect.gen(function*() {
        const { address, balance, book, chain, exchange, native, solver, spotUsdc } = local
        const faults = ["away", "killed", "down"] as const
        for (const [n, fault] of faults.entries()) {
          yield* pay(local, native, 7n * USD)
          if (n > 0) book.credit(address, "spot", -RESIDUE)
          const [rich, before] = [yield* balance(solver.account, native), yield* balance(chain.depository, native)]
          const payment = yield* sign(local, n, native, 7n * USD)
          if (fault === "killed") assert.include(yield* submitted(local, residueOf(local, payment)), `"ok"`)
          else {
            yield* exchange.misbehave({ kind: fault, questions: ["exchange"] })
            yield* Effect.exit(send(local, payment))
            yield* exchange.misbehave(undefined)
          }
          if (fault !== "down") assert.strictEqual(yield* balance(chain.depository, native), before)
          assert.strictEqual(yield* send(local, payment), "accepted")
          assert.strictEqual(yield* send(local, payment), "accepted")
          assert.isTrue((yield* included(local, payment)).succeeded)
          assert.strictEqual((yield* balance(chain.depository, native)) - before, 7n * USD)
          assert.strictEqual(yield* balance(address, spotUsdc), RESIDUE)
          assert.strictEqual(rich - (yield* balance(solver.account, native)), RESIDUE)
          assert.lengthOf(book.ofAccount(address), n + 1)
        }
      })
    )
  )

  it.live(
    "cannot be executed again with later money: its account, and so its nonce, is never forgotten",
    onExchange((local) =>
      Effect.gen(function*() {
        const { balance, chain, native } = local
        yield* pay(local, native, 7n * USD)
        const payment = yield* sign(local, 1, native, 7n * USD)
        yield* sweep(local, payment)
        yield* pay(local, native, 7n * USD)
        const before = yield* balance(chain.depository, native)
        assert.include(yield* submitted(local, transferOf(payment)), "nonce")
        assert.strictEqual(yield* balance(chain.depository, native), before)
      })
    )
  )

  it.live(
    "is signed again once it is dead, and before that it stays the same bytes",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, native, balance } = local
        yield* pay(local, native, 7n * USD)
        const payment = yield* sign(local, 1, native, 7n * USD)
        assert.strictEqual((yield* outcome(local, payment))._tag, "Unseen")
        book.pass(50 * HOUR)
        assert.strictEqual((yield* outcome(local, payment))._tag, "Expired")
        yield* (yield* Payments).setAside(payment)
        const before = yield* balance(chain.depository, native)
        yield* sweep(local, yield* sign(local, 1, native, 7n * USD))
        assert.include(yield* submitted(local, transferOf(payment)), "nonce")
        assert.strictEqual((yield* balance(chain.depository, native)) - before, 7n * USD)
      })
    )
  )

  it.live(
    "waits for the solver's money, and is refused with nothing there",
    onExchange((local) =>
      Effect.gen(function*() {
        const { balance, book, native, solver, token } = local
        assert.strictEqual(yield* reasonOf(sign(local, 1, token, 700n)), "reverts")
        const rich = yield* balance(solver.account, native)
        yield* pay(local, token, 700n)
        book.credit(solver.account, "", 99n + USD - rich)
        assert.strictEqual(yield* reasonOf(sign(local, 2, token, 700n)), "insufficient-funds")
        book.credit(solver.account, "", 1n)
        assert.isDefined(yield* sign(local, 2, token, 700n))
      })
    )
  )

  it.live(
    "is never signed with another key than the address's, nor for money that one endpoint of a quorum has made up",
    onExchange((local) =>
      Effect.gen(function*() {
        const { exchange, native } = local
        yield* pay(local, native, 7n * USD)
        const payment = sweepOf(local, 1, native, 90n * USD)
        const treasury = yield* Treasury
        for (const key of [{ generation: 7, number: 8 }, undefined]) {
          const wrong = { ...payment, sweep: { ...payment.sweep, key } }
          const died = String(yield* Effect.exit(treasury.prepare(wrong)))
          assert.include(died, key === undefined ? "without the seed" : "does not follow from the seed")
        }
        yield* exchange.misbehave({
          kind: "lie",
          questions: ["clearinghouseState"],
          tell: (said) => ({ ...said as object, withdrawable: "900.0" })
        })
        const { chainSequence, sign: signed } = yield* treasury.prepare(payment)
        assert.strictEqual(readStored((yield* signed(chainSequence, [])).raw)?.transfer.amount, "7")
      }), 3)
  )
})
