/** Sweeps of deposit addresses as payments of the operator's account, on a chain with the factory. */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schedule } from "effect"
import type { Address as ViemAddress } from "viem"
import { createPublicClient, http } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Payment, SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { setOperator } from "../contracts/testing/Factory.ts"
import { NATIVE, useFixture, word } from "../contracts/testing/Fixture.ts"
import { LATER, ORDER, usersAddress } from "../contracts/testing/UsersAddress.ts"
import { depositsIn } from "../watch/Deposits.ts"
import * as EthereumRpc from "../rpc/EthereumRpc.ts"
import * as EthereumGas from "./Gas.ts"
import * as EthereumSent from "../watch/SentTransactions.ts"
import * as SolverAccount from "./SolverAccount.ts"
import * as EthereumTreasury from "./Treasury.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { secp256k1Signer } from "../../signing/testing/TestSigners.ts"

const fixture = useFixture()
const codec = addressCodec("ethereum-vm")
const keys = { solver: generatePrivateKey(), operator: generatePrivateKey() }
const operator = privateKeyToAccount(keys.operator).address
const account = (address: string) => Result.getOrThrow(codec.parse(address))

const currency = (address: ViemAddress): Currency => {
  const parsed = Result.getOrThrow(codec.parseCurrency(address))
  return {
    chainId: ChainId.make(fixture().chainId),
    address: parsed,
    symbol: "T",
    name: "Token",
    decimals: 18,
    isNative: parsed === codec.nativeCurrency
  }
}

const chain = (): Chain => ({
  id: ChainId.make(fixture().chainId),
  slug: ChainSlug.make("local"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Local",
  depository: account(fixture().depository),
  router: undefined,
  vault: undefined,
  depositAddresses: { factory: account(fixture().factory) },
  native: currency(NATIVE),
  currencies: [],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1_000,
  explorerUrl: undefined
})

const ETHER = 10n ** 18n

/** With the factory's operator, which has this much for gas, and a solver. */
const withAccount = <A, E>(program: Effect.Effect<A, E, Gas | SentTransactions | Treasury>, gas = ETHER) =>
  Effect.gen(function*() {
    const { client, factory, owner, send } = fixture()
    yield* Effect.promise(() => send(owner, factory, setOperator(operator)))
    yield* Effect.promise(() => client.setBalance({ address: operator, value: gas }))
    yield* Effect.promise(() => client.setBalance({ address: privateKeyToAccount(keys.solver).address, value: ETHER }))
    const adapters = Layer.mergeAll(EthereumTreasury.layer, EthereumGas.layer, EthereumSent.layer).pipe(
      Layer.provide(EthereumRpc.layer),
      Layer.provide(
        Layer.succeed(EthereumRpc.EthereumEndpoints, { urls: new Map([[chain().id, [Redacted.make(fixture().url)]]]) })
      ),
      Layer.provide(
        SolverAccount.layer({ solver: secp256k1Signer(keys.solver), operator: secp256k1Signer(keys.operator) })
      )
    )
    return yield* Effect.provide(program, adapters)
  })

const sweepOf = (token: ViemAddress, depositId = ORDER): SweepPayment => ({
  _tag: "Sweep",
  chain: chain(),
  currency: chain().native,
  recipient: account(fixture().factory),
  amount: 0n,
  orderId: OrderId.make(word(77)),
  sweep: {
    address: account(usersAddress(fixture())),
    orderId: OrderId.make(ORDER),
    depositor: account(fixture().user),
    depositId: OrderId.make(depositId),
    currency: currency(token).address
  }
})

const give = (token: ViemAddress, amount: bigint) =>
  Effect.promise(() => {
    const { mint, send, thief } = fixture()
    return token === NATIVE
      ? send(thief, usersAddress(fixture()), "0x", amount)
      : mint(token, usersAddress(fixture()), amount)
  })

/**
 * Prepares, signs, broadcasts and mines the payment. Returns its estimated cost, and the deposits that the service sees
 * in it.
 */
const carryOut = Effect.fnUntraced(function*(payment: Payment) {
  const treasury = yield* Treasury
  const { chainSequence, costs, sign } = yield* treasury.prepare(payment)
  const signed = yield* sign(chainSequence, [])
  assert.strictEqual(yield* treasury.broadcast(chain(), signed), "accepted")
  // The node says that it has it, and mines it a moment later.
  const outcome = yield* treasury.outcome(chain(), [signed], "endpoint").pipe(
    Effect.repeat({ until: ({ _tag }) => _tag === "Included", schedule: Schedule.spaced("10 millis") })
  )
  const client = createPublicClient({ transport: http(fixture().url) })
  const deposits = yield* Effect.promise(() => depositsIn(client, chain(), viemHex(signed.transactionId)))
  return { costs, deposits, outcome, signed }
})

const refusal = (payment: Payment) =>
  Effect.gen(function*() {
    const treasury = yield* Treasury
    const refused = yield* Effect.flip(treasury.prepare(payment))
    return refused._tag === "PaymentRefused" ? refused.reason : refused._tag
  })

describe("a sweep", () => {
  it.live("deposits the whole balance for the address's own order, native and token, whether or not the address is deployed", () =>
    withAccount(Effect.gen(function*() {
      const { usdc, user } = fixture()
      const gas = yield* Gas
      for (const [token, amount] of [[NATIVE, 10n], [usdc, 5_000000n], [NATIVE, 3n], [usdc, 1n]] as const) {
        yield* give(token, amount)
        const expected = yield* gas.ofPayment(sweepOf(token))
        const { costs, deposits, outcome } = yield* carryOut(sweepOf(token))
        if (outcome._tag !== "Included") throw new Error(`after all this time it is ${outcome._tag}`)
        assert.isTrue(outcome.succeeded)
        assert.lengthOf(deposits ?? [], 1)
        assert.deepInclude(deposits?.[0], {
          depositId: Hex32.make(ORDER),
          depositor: account(user),
          sender: account(operator),
          currency: currency(token).address,
          amount
        })
        // Only gas, in native currency. One entry, because the store keeps one cost for each holding.
        assert.deepStrictEqual(costs.map(({ currency, holder }) => [holder, currency]), [[
          account(operator),
          chain().native.address
        ]])
        assert.isTrue(
          outcome.gasPaid <= (costs[0]?.amount ?? 0n) && outcome.gasPaid <= expected && expected < outcome.gasPaid * 3n
        )
      }
    })))

  it.live("names a later order when the deposit is for that one", () =>
    withAccount(Effect.gen(function*() {
      yield* give(fixture().usdc, 9n)
      const { deposits } = yield* carryOut(sweepOf(fixture().usdc, LATER))
      assert.deepStrictEqual(deposits?.map(({ amount, depositId }) => [depositId, amount]), [[Hex32.make(LATER), 9n]])
    })))

  it.live("of an empty address is refused, when preparing and when estimating; so is a second sweep of the same balance", () =>
    withAccount(Effect.gen(function*() {
      const gas = yield* Gas
      assert.strictEqual(yield* refusal(sweepOf(NATIVE)), "reverts")
      yield* give(NATIVE, 10n)
      yield* carryOut(sweepOf(NATIVE))
      assert.strictEqual(yield* refusal(sweepOf(NATIVE)), "reverts")
      assert.deepInclude(yield* Effect.flip(gas.ofPayment(sweepOf(NATIVE))), {
        _tag: "PaymentRefused",
        reason: "reverts"
      })
    })))

  it.live("is refused to an account that is not an operator, for the address's own order, too, and so is its estimate", () =>
    withAccount(Effect.gen(function*() {
      const { factory, owner, send } = fixture()
      yield* Effect.promise(() => send(owner, factory, setOperator(operator, false)))
      yield* give(NATIVE, 10n)
      const gas = yield* Gas
      for (const id of [ORDER, LATER]) {
        assert.strictEqual(yield* refusal(sweepOf(NATIVE, id)), "reverts")
        assert.deepInclude(yield* Effect.flip(gas.ofPayment(sweepOf(NATIVE, id))), {
          _tag: "PaymentRefused",
          reason: "reverts"
        })
      }
    })))

  it.live("waits for money when the account has no gas, and is refused on a chain without a factory", () =>
    withAccount(
      Effect.gen(function*() {
        yield* give(NATIVE, 10n)
        assert.strictEqual(yield* refusal(sweepOf(NATIVE)), "insufficient-funds")
        const { depositAddresses: _, ...bare } = chain()
        assert.strictEqual(yield* refusal({ ...sweepOf(NATIVE), chain: bare }), "reverts")
      }),
      0n
    ))

  it.live("is not listed as a payment of the account and moves none of its money; a transfer is and does", () =>
    withAccount(Effect.gen(function*() {
      const sent = yield* SentTransactions
      yield* give(NATIVE, 10n)
      const { signed } = yield* carryOut(sweepOf(NATIVE))
      assert.deepInclude(yield* sent.find(chain(), signed.transactionId), {
        payment: undefined,
        movesNothing: true,
        succeeded: true
      })
      const paid: Payment = {
        _tag: "Payout",
        chain: chain(),
        currency: chain().native,
        recipient: account(fixture().user),
        amount: 1n,
        orderId: OrderId.make(ORDER)
      }
      const transfer = yield* carryOut(paid)
      assert.deepInclude(yield* sent.find(chain(), transfer.signed.transactionId), {
        movesNothing: false,
        succeeded: true
      })
    })))
})
