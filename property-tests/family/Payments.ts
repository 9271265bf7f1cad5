/** The contracts of `Treasury`, `Gas` and `SentTransactions`, for any family: the solver's money. */
import * as Effect from "effect/Effect"
import { Gas } from "../../ports/chain/Gas.ts"
import type { FillPayment, PlainPayment } from "../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../ports/chain/SentTransactions.ts"
import type { SentTransaction } from "../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../ports/chain/Treasury.ts"
import type { SignedPayment } from "../../ports/chain/Treasury.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { must } from "../Law.ts"
import { type Contract, FamilyFixture, replaceNewest } from "./FamilyFixture.ts"
import { orderOf } from "./Orders.ts"

export const fill = (currency: Currency, amount: bigint, nth: number) =>
  Effect.map(FamilyFixture, ({ chain, stranger }): FillPayment => ({
    _tag: "Fill",
    chain,
    currency,
    recipient: stranger,
    amount,
    orderId: orderOf(nth),
    topup: 0n,
    authorizations: [],
    calls: undefined
  }))

const refundTo = ({ amount, chain, currency, orderId, recipient }: FillPayment): PlainPayment => ({
  _tag: "Refund",
  chain,
  currency,
  recipient,
  amount,
  orderId
})

/** Prepared and signed under the next sequence, or a later one. */
export const signed = (payment: FillPayment | PlainPayment, later = 0n) =>
  Effect.gen(function*() {
    const treasury = yield* Treasury
    const { chainSequence, sign } = yield* treasury.prepare(payment)
    return yield* sign(chainSequence + later, [])
  })

export const outcomeOf = (...variants: readonly [SignedPayment, ...ReadonlyArray<SignedPayment>]) =>
  Effect.gen(function*() {
    const { chain } = yield* FamilyFixture
    return yield* (yield* Treasury).outcome(chain, variants, "endpoint")
  })

/** The chain's id of a payment that is in a block. */
export const idOnChain = (payment: SignedPayment) =>
  Effect.flatMap(
    outcomeOf(payment),
    (outcome) =>
      outcome._tag === "Included" ? Effect.succeed(outcome.transactionId) : Effect.die(new Error("it is in no block"))
  )

/** What the accounts hold together. */
const inventoryOf = (chain: Chain, currency: Currency) =>
  Effect.flatMap(Treasury, ({ inventory }) =>
    Effect.map(
      inventory(chain, currency, "account"),
      (accounts) => accounts.reduce((sum, amount) => sum + amount, 0n)
    ))

/** How far the first account's sequences have advanced. */
export const positionOn = (chain: Chain) =>
  Effect.flatMap(SentTransactions, ({ accountsOn, position }) => position(chain, accountsOn(chain)[0], "quorum"))

/** Why a payment is refused. */
const refusal = (payment: FillPayment) =>
  Effect.flatMap(Treasury, (treasury) =>
    Effect.match(treasury.prepare(payment), {
      onFailure: (refused) => refused._tag === "PaymentRefused" ? refused.reason : refused._tag,
      onSuccess: () => "prepared"
    }))

/** On a chain without reorgs: a payment in a block is final, however new it is. */
const finalAtOnce = Effect.gen(function*() {
  const { chain, mine } = yield* FamilyFixture
  const treasury = yield* Treasury
  const made = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
  yield* treasury.broadcast(chain, made)
  yield* mine
  const outcome = yield* outcomeOf(made)
  must(outcome._tag === "Included" && outcome.final, "what a block has is not final at once")
})

/** The contract of `Treasury`: a payment is signed, then broadcast, and executed once. */
export const treasuryContract: ReadonlyArray<Contract<Treasury>> = [
  {
    name: "a signed payment is on no chain before it is broadcast; broadcast twice, it is executed once",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const payment = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* mine
      must((yield* outcomeOf(payment))._tag === "Unseen", "it is there before it was broadcast")
      must((yield* balance(stranger, chain.native)) === 0n, "it paid before it was broadcast")
      must((yield* treasury.broadcast(chain, payment)) === "accepted", "it was not accepted")
      must((yield* treasury.broadcast(chain, payment)) === "accepted", "the second broadcast was not accepted")
      yield* mine
      must((yield* treasury.broadcast(chain, payment)) === "accepted", "sending what a block has is an error")
      const standing = yield* outcomeOf(payment)
      must(standing._tag === "Included" && standing.succeeded, `its outcome is ${standing._tag}`)
      const named = standing._tag === "Included" ? standing.signedAs ?? standing.transactionId : undefined
      must(named === payment.transactionId, "it has another id")
      yield* finalise
      const last = yield* outcomeOf(payment)
      must(last._tag === "Included" && last.final, "it is never final")
      must((yield* balance(stranger, chain.native)) === 5_000_000n, "the recipient did not get the amount, once")
    })
  },
  {
    name: "a payment in a block that a reorg can remove is not final",
    needs: "reorgs",
    without: finalAtOnce,
    check: Effect.gen(function*() {
      const { chain, finalise, mine } = yield* FamilyFixture
      const treasury = yield* Treasury
      const payment = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* treasury.broadcast(chain, payment)
      yield* mine
      const standing = yield* outcomeOf(payment)
      must(standing._tag === "Included" && !standing.final, `its outcome is ${standing._tag}, or final at once`)
      yield* finalise
      const last = yield* outcomeOf(payment)
      must(last._tag === "Included" && last.final, "it is never final")
    })
  },
  {
    name: "the costs cover the amounts taken from each holding, and the inventory falls by no more",
    check: Effect.gen(function*() {
      const { chain, mine, token } = yield* FamilyFixture
      const treasury = yield* Treasury
      for (const [nth, currency] of [chain.native, token].entries()) {
        const inventories = Effect.all({
          native: inventoryOf(chain, chain.native),
          token: inventoryOf(chain, token)
        })
        const before = yield* inventories
        const payment = yield* fill(currency, 3_000_000n, nth + 1)
        const { chainSequence, costs, sign } = yield* treasury.prepare(payment)
        const most = (of: Currency) =>
          costs.filter((cost) => cost.currency === of.address).reduce((sum, { amount }) => sum + amount, 0n)
        yield* treasury.broadcast(chain, yield* sign(chainSequence, []))
        yield* mine
        const after = yield* inventories
        const taken = { native: before.native - after.native, token: before.token - after.token }
        must(taken.native <= most(chain.native) && taken.token <= most(token), "more was taken than was announced")
        must((currency.isNative ? taken.native : taken.token) >= 3_000_000n, "the payment cost nothing")
      }
    })
  },
  {
    name: "a payment is refused when the money does not suffice",
    check: Effect.gen(function*() {
      const { chain, token } = yield* FamilyFixture
      const held = yield* inventoryOf(chain, token)
      must((yield* refusal(yield* fill(token, held + 1n, 1))) === "insufficient-funds", "it would pay what it has not")
    })
  },
  {
    name: "a payment is refused when its recipient accepts nothing",
    needs: "refusal",
    check: Effect.gen(function*() {
      const { refusing = yield* Effect.die(new Error("the fixture names nobody who refuses")), token } =
        yield* FamilyFixture
      const refused = { ...(yield* fill(token, 1n, 2)), recipient: refusing }
      must((yield* refusal(refused)) === "reverts", "it would pay who takes nothing")
    })
  },
  {
    name: "of two payments under one sequence only one is executed: the other is superseded once that is final",
    needs: "sequences",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const one = yield* fill(chain.native, 5_000_000n, 1)
      const other = refundTo({ ...one, orderId: orderOf(2) })
      const [first, second] = [yield* signed(one), yield* signed(other)]
      yield* treasury.broadcast(chain, first)
      yield* mine
      yield* Effect.ignore(treasury.broadcast(chain, second))
      yield* mine
      const made = yield* outcomeOf(first)
      must(made._tag === "Included", "the first was not carried out")
      const isFinal = made._tag === "Included" && made.final
      must(
        isFinal || (yield* outcomeOf(second))._tag !== "Superseded",
        "it is given up while the first may still be taken back"
      )
      yield* finalise
      must((yield* outcomeOf(second))._tag === "Superseded", "the second still may come")
      must((yield* balance(stranger, chain.native)) === 5_000_000n, "both were paid")
    })
  },
  {
    name: "of two payments of one coin only one is executed: the other is superseded once that is final",
    needs: "coins",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const one = yield* fill(chain.native, 5_000_000n, 1)
      const prepared = yield* treasury.prepare(one)
      must(prepared.claimable !== undefined, "it may claim nothing")
      const first = yield* prepared.sign(0n, [])
      must(first.claims !== undefined && first.claims.length > 0, "it claims nothing")
      const held = { ...first, claims: first.claims ?? [] }
      const { claims: beside = [] } = yield* (yield* treasury.prepare(refundTo(one))).sign(1n, [held])
      must(!beside.some((claim) => held.claims.includes(claim)), "it claims what another holds")
      // Nobody told it of the first.
      const second = yield* signed(refundTo({ ...one, orderId: orderOf(2) }))
      must(second.claims?.some((claim) => held.claims.includes(claim)) === true, "it takes another coin")
      yield* treasury.broadcast(chain, first)
      yield* mine
      yield* Effect.ignore(treasury.broadcast(chain, second))
      yield* mine
      must((yield* outcomeOf(first))._tag === "Included", "the first was not carried out")
      must((yield* outcomeOf(second))._tag !== "Superseded", "it is given up while the first may still be taken back")
      yield* finalise
      must((yield* outcomeOf(second))._tag === "Superseded", "the second still may come")
      must((yield* balance(stranger, chain.native)) === 5_000_000n, "both were paid")
    })
  },
  {
    name: "a payment that a reorg removed is executed again by the same bytes, under the same id",
    needs: "reorgs",
    without: finalAtOnce,
    check: Effect.gen(function*() {
      const { balance, chain, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const payment = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* treasury.broadcast(chain, payment)
      yield* mine
      yield* replaceNewest
      const { _tag } = yield* outcomeOf(payment)
      must(_tag === "Unseen" || _tag === "Pending", `it was taken back, and stands as ${_tag}`)
      must((yield* treasury.broadcast(chain, payment)) === "accepted", "it cannot be sent again")
      yield* mine
      must((yield* outcomeOf(payment))._tag === "Included", "it did not come again")
      must((yield* balance(stranger, chain.native)) === 5_000_000n, "it paid something else")
    })
  }
]

/** The contract of `Gas`: the costs of payments. */
export const gasContract: ReadonlyArray<Contract<Gas | Treasury>> = [
  {
    name: "the cost of a payment is the most that it can take, whatever it pays",
    check: Effect.gen(function*() {
      const { chain, mine } = yield* FamilyFixture
      const treasury = yield* Treasury
      const gas = yield* Gas
      const payment = yield* fill(chain.native, 5_000_000n, 1)
      const said = yield* gas.ofPayment(payment)
      must(said === (yield* gas.ofPayment({ ...payment, amount: 6_000_000n })), "the amount changes the cost")
      const made = yield* signed(payment)
      yield* treasury.broadcast(chain, made)
      yield* mine
      const outcome = yield* outcomeOf(made)
      must(outcome._tag === "Included" && outcome.gasPaid > 0n && outcome.gasPaid <= said, "it took more than that")
    })
  }
]

/**
 * Mines blocks until a payment that was never broadcast is reported as expired, at the latest when final blocks have
 * passed its last block.
 */
const untilExpired = (lost: SignedPayment, last: bigint) =>
  Effect.gen(function*() {
    const { chain, mine } = yield* FamilyFixture
    must((yield* outcomeOf(lost))._tag === "Unseen", "it is given up at once")
    while ((yield* outcomeOf(lost))._tag !== "Expired") {
      must((yield* positionOn(chain)).finalSequence < last, "it never expires, though no block can have it any more")
      yield* mine
    }
  })

/** Removes all blocks that are not final. */
const takeBackAll = Effect.gen(function*() {
  const { chain, takeBack } = yield* FamilyFixture
  const isBeyondFinal = Effect.map(positionOn(chain), ({ finalHeight, height }) => height > finalHeight)
  while (yield* isBeyondFinal) yield* takeBack
})

/** The contract of `SentTransactions`: every transaction that the account sent is found again. */
export const sentTransactionsContract: ReadonlyArray<Contract<SentTransactions | Treasury>> = [
  {
    name: "the account's payments are found by id and by blocks, with the orders that they paid",
    check: Effect.gen(function*() {
      const { chain, mine, stranger, token } = yield* FamilyFixture
      const treasury = yield* Treasury
      const sent = yield* SentTransactions
      const from = (yield* positionOn(chain)).height
      const made = yield* signed(yield* fill(token, 700n, 1))
      must((yield* sent.find(chain, made.transactionId)) === undefined, "it is found before it was sent")
      yield* treasury.broadcast(chain, made)
      yield* mine
      const position = yield* positionOn(chain)
      const transactionId = yield* idOnChain(made)
      const found = yield* sent.find(chain, transactionId)
      const listed = yield* sent.between(chain, from + 1n, position.height, "quorum")
      must(found?.payment !== undefined, "it is no payment")
      const isMade = (each: SentTransaction) => each.transactionId === transactionId
      must(listed.some(isMade), "its block does not list it")
      must(
        (yield* sent.between(chain, 0n, from, "quorum")).every((each) => !isMade(each)),
        "another block lists it"
      )
      must((found?.signedAs ?? found?.transactionId) === made.transactionId, "it was signed under another id")
      const { amount, currency, orderId, recipient } = found?.payment ?? (yield* Effect.die("no payment"))
      must(orderId === orderOf(1) && recipient === stranger, "it paid another order, or somebody else")
      must(currency === token.address && amount === 700n && found?.movesNothing === false, "it paid something else")
    })
  },
  {
    name: "a used-up sequence belongs to no other payment, and moves nothing",
    needs: "sequences",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const sent = yield* SentTransactions
      const before = yield* positionOn(chain)
      must(before.counted, "the account's transactions are not counted")
      const lost = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* sent.useUp(chain, sent.accountsOn(chain)[0], before.sequence)
      yield* sent.useUp(chain, sent.accountsOn(chain)[0], before.sequence)
      yield* mine
      must((yield* positionOn(chain)).sequence === before.sequence + 1n, "not one sequence was used")
      yield* Effect.ignore(treasury.broadcast(chain, lost))
      yield* finalise
      must((yield* outcomeOf(lost))._tag === "Superseded", "the payment under it may still come")
      must((yield* balance(stranger, chain.native)) === 0n, "it was paid")
      const after = yield* positionOn(chain)
      const listed = yield* sent.between(chain, before.height + 1n, after.height, "quorum")
      must(listed.length > 0 && listed.every(({ movesNothing }) => movesNothing), "it moved something")
    })
  },
  {
    name: "used-up coins belong to no other payment: none that was signed before is executed, and nothing moved",
    needs: "coins",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const sent = yield* SentTransactions
      const lost = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      const before = yield* positionOn(chain)
      const fence = before.pendingSequence
      must(before.finalSequence < fence, "nothing that was signed can come any more, and nothing was used up")
      must((yield* outcomeOf(lost))._tag === "Unseen", "it is given up while it may still come")
      for (let now = before; now.finalSequence < fence; now = yield* positionOn(chain)) {
        for (let next = now.sequence; next < fence && next < now.sequence + 16n; next += 1n) {
          yield* sent.useUp(chain, sent.accountsOn(chain)[0], next)
        }
        yield* mine
      }
      yield* Effect.ignore(treasury.broadcast(chain, lost))
      yield* finalise
      must((yield* outcomeOf(lost))._tag === "Superseded", "the payment may still come")
      must((yield* balance(stranger, chain.native)) === 0n, "it was paid")
      const listed = yield* sent.between(chain, before.height + 1n, (yield* positionOn(chain)).height, "quorum")
      must(listed.length === 1 && listed.every(({ movesNothing }) => movesNothing), "it moved something")
    })
  },
  {
    name: "a payment has expired once no block can contain it, after any reorg; one in a block never expires",
    needs: "expiry",
    check: Effect.gen(function*() {
      const { balance, chain, finalise, mine, stranger } = yield* FamilyFixture
      const treasury = yield* Treasury
      const paid = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* treasury.broadcast(chain, paid)
      yield* mine
      const lost = yield* signed(yield* fill(chain.native, 7_000_000n, 2))
      const { pendingSequence: last } = yield* positionOn(chain)
      yield* untilExpired(lost, last)
      // The worst case: every block that is not final is removed, and still nothing executes the payment.
      yield* takeBackAll
      yield* Effect.ignore(treasury.broadcast(chain, lost))
      yield* mine
      must((yield* balance(stranger, chain.native)) === 5_000_000n, "it was carried out after it had expired")
      yield* finalise
      must((yield* outcomeOf(lost))._tag === "Expired", "it does not stay expired")
      const { _tag } = yield* outcomeOf(paid)
      must(_tag === "Included", `what a block has stands as ${_tag}`)
    })
  },
  {
    name: "the last block before a time is found, to the second",
    check: Effect.gen(function*() {
      const { chain, mine } = yield* FamilyFixture
      const treasury = yield* Treasury
      const sent = yield* SentTransactions
      const made = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
      yield* treasury.broadcast(chain, made)
      yield* mine
      const { height } = yield* positionOn(chain)
      must((yield* sent.lastBlockBefore(chain, 0)) === -1n, "there is a block before all time")
      must(
        (yield* sent.lastBlockBefore(chain, Number.MAX_SAFE_INTEGER)) >= height,
        "the newest is not before the end of time"
      )
      const { block } = (yield* sent.find(chain, yield* idOnChain(made))) ?? (yield* Effect.die("not found"))
      must((yield* sent.lastBlockBefore(chain, block.time * 1_000)) < block.height, "a block is before its own time")
      must((yield* sent.lastBlockBefore(chain, block.time * 1_000 + 1)) >= block.height, "a block is not before later")
    })
  }
]
