/** POST /app-fees/{wallet}/claim, /withdraw and /settle, their results, and the wallet's statement. */
import { Effect, Layer, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SettlementChain } from "../../../../ports/hub/SettlementChain.ts"
import type { Account } from "../../../../src/domain/ledger/Account.ts"
import type { PayoutKind } from "../../../../src/domain/ledger/Payout.ts"
import { PayoutRefused } from "../../../../src/domain/ledger/PayoutRefused.ts"
import { LedgerId } from "../../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency } from "../../../../src/domain/ledger/Transaction.ts"
import { findChain } from "../../../../src/domain/chain/Chain.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { Balances } from "../../../../src/services/app-balance/Balances.ts"
import type { StatementEntry } from "../../../../src/services/app-balance/Balances.ts"
import { acceptPayout, findPayout } from "../../../../src/services/payout/AcceptingPayouts.ts"
import type { KnownPayout } from "../../../../src/services/payout/AcceptingPayouts.ts"
import { SettlingAppFees } from "../../../../src/services/payout/SettlingAppFees.ts"
import type { SettledAppFees } from "../../../../src/services/payout/SettlingAppFees.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { NotYourWallet, PayoutBadRequest } from "./PayoutsApi.ts"
import type { PayoutBody, PayoutRow, SettledRow, StatementAnswer } from "./PayoutsApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { neededKey } from "../../middleware/ApiKey.ts"
import { Authority } from "../../dashboard/Authority.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

const statuses = { open: "pending", paid: "success", returned: "failure" } as const

const amountRow = ({ address, chainId }: LedgerCurrency, units: bigint) => ({
  chainId,
  currency: address,
  amount: units.toString()
})

const payoutRow = ({ payout, transactionId }: KnownPayout): PayoutRow => ({
  id: payout.id,
  kind: payout.kind,
  status: statuses[payout.state],
  wallet: payout.wallet,
  recipient: payout.recipient,
  nonce: payout.nonce.toString(),
  taken: amountRow(payout.currency, payout.amount),
  paid: amountRow(payout.paid.currency, payout.paid.amount),
  txHash: transactionId ?? null,
  createdAt: iso(payout.askedAt),
  endedAt: payout.endedAt === undefined ? null : iso(payout.endedAt)
})

const settledRow = (
  { id, owed, request: { amount, currency, nonce, recipient, wallet }, settledAt }: SettledAppFees
): SettledRow => ({
  id,
  wallet,
  recipient,
  nonce: nonce.toString(),
  paid: amountRow(currency, amount),
  owed: owed.toString(),
  settledAt: iso(settledAt)
})

/** The API's names for an owner's accounts. Accounts of the solver and of the outside world are in no statement. */
const accountNames: Readonly<
  Partial<Record<Account["_tag"], StatementAnswer["entries"][number]["postings"][number]["account"]>>
> = {
  Wallet: "balance",
  Hold: "held",
  Payout: "payout",
  AppFeePayable: "appFees",
  Receivable: "appFeesOwed",
  AppFeePending: "appFeesPending"
}

const entryRow = ({ at, postings, transaction: { id, kind } }: StatementEntry): StatementAnswer["entries"][number] => ({
  id,
  kind,
  at: iso(at),
  postings: postings.flatMap(({ account, currency, units }) => {
    const name = accountNames[account._tag]
    return name === undefined ? [] : [{ account: name, ...amountRow(currency, units) }]
  })
})

const PAGE = 50

const placeOf = (continuation: string | undefined) => {
  if (continuation === undefined) return undefined
  const at = continuation.indexOf(":")
  return { at: Number(continuation.slice(0, at)), id: LedgerId.make(continuation.slice(at + 1)) }
}

/** The wallet whose statement is shown: of the dashboard's session, or of the caller's key. */
const readerOfStatement = Effect.flatMap(Authority, (authority) =>
  authority._tag === "Wallet"
    ? Effect.succeed(authority.wallet)
    : Effect.map(
      neededKey("a statement is shown to a key that is linked to the wallet: send it as x-api-key"),
      ({ wallet }) => wallet
    ))

/** A failure in the wire's form. */
const onTheWire = (failure: { readonly _tag: string; readonly message: string }) => {
  if (failure instanceof PayoutRefused) {
    return new PayoutBadRequest({
      message: failure.message,
      errorCode: failure.reason,
      docs: pathOfErrorPage(failure.reason)
    })
  }
  return failure._tag === "InvalidWallet"
    ? new BadRequest({ message: failure.message })
    : new Unavailable({ message: failure.message })
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "payouts",
  Effect.fn(function*(handlers) {
    const settling = yield* SettlingAppFees
    const wallets = yield* Balances
    const chains = yield* Chains
    const { chain, token } = yield* SettlementChain

    const currencyOf = ({ chainId = chain.id, currency }: PayoutBody): Effect.Effect<LedgerCurrency, PayoutRefused> => {
      const of = findChain(chains.all, chainId)
      if (currency === undefined && chainId === chain.id) return Effect.succeed({ chainId, address: token })
      const parsed = of === undefined || currency === undefined
        ? undefined
        : of.family.addresses(of.network).parseCurrency(currency)
      return parsed === undefined || Result.isFailure(parsed)
        ? Effect.fail(
          new PayoutRefused({
            reason: "PAYOUT_UNSUPPORTED_CURRENCY",
            message: "currency: it is no currency of a chain that is served here"
          })
        )
        : Effect.succeed({ chainId, address: parsed.success })
    }

    interface Asked {
      readonly params: { readonly wallet: string }
      readonly payload: PayoutBody
    }

    const requestOf = Effect.fnUntraced(function*({ params, payload }: Asked) {
      const { amount, deadline, nonce } = payload
      const recipient = yield* wallets.walletOf(payload.recipient).pipe(
        Effect.mapError(({ message }) =>
          new PayoutRefused({ reason: "PAYOUT_INVALID_RECIPIENT", message: message.replace("wallet", "recipient") })
        )
      )
      return {
        wallet: yield* wallets.walletOf(params.wallet),
        recipient,
        currency: yield* currencyOf(payload),
        amount,
        nonce,
        deadline
      }
    })

    const ask = (kind: PayoutKind) =>
      Effect.fn(`http.${kind}`)(
        function*(asked: Asked) {
          return payoutRow(yield* acceptPayout({ kind, ...(yield* requestOf(asked)) }, asked.payload.signature))
        },
        Effect.mapError(onTheWire)
      )

    const settle = Effect.fn("http.settle")(
      function*(asked: Asked) {
        return settledRow(yield* settling.settle(yield* requestOf(asked), asked.payload.signature))
      },
      Effect.mapError(onTheWire)
    )

    const payout = Effect.fn("http.payout")(
      function*({ params }: { readonly params: { readonly wallet: string; readonly id: Hex32 } }) {
        const wallet = yield* Effect.mapError(
          wallets.walletOf(params.wallet),
          ({ message }) => new BadRequest({ message })
        )
        const known = yield* Effect.mapError(findPayout(params.id), ({ message }) => new Unavailable({ message }))
        return known?.payout.wallet === wallet
          ? payoutRow(known)
          : yield* new NotFound({ message: "the wallet has no payout of this id" })
      }
    )

    interface Page {
      readonly params: { readonly wallet: string }
      readonly query: { readonly limit?: number; readonly continuation?: string }
    }

    const statement = Effect.fn("http.statement")(
      function*({ params, query: { continuation, limit = PAGE } }: Page) {
        const reader = yield* readerOfStatement
        const wallet = yield* Effect.mapError(
          wallets.walletOf(params.wallet),
          ({ message }) => new BadRequest({ message })
        )
        if (reader !== wallet) return yield* new NotYourWallet({ message: "the key is not linked to this wallet" })
        const found = yield* wallets.statement(wallet, { before: placeOf(continuation), limit })
        const last = found.length < limit ? undefined : found.at(-1)
        return {
          entries: found.map(entryRow),
          ...(last === undefined ? {} : { continuation: `${last.at}:${last.transaction.id}` })
        }
      },
      Effect.mapError((error) =>
        error._tag === "StoreUnavailable" ? new Unavailable({ message: error.message }) : error
      )
    )

    return handlers.handleAll({ claim: ask("claim"), withdraw: ask("withdraw"), settle, payout, statement })
  })
).pipe(Layer.provide(inputErrors))
