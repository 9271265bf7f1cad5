/**
 * Withdrawals on exchange B: a transfer of the depository's account (EXCHANGEB-3), which the key of its Ethereum account
 * signs with an API key's next nonce.
 *
 * The recipient bears the exchange's fee, so that the depository keeps what it owes to all others. On the hub the fee's
 * units stay on the withdrawal's account, which nobody can empty again. Only an account that exists can be paid.
 */
import { Effect, Result, Schema } from "effect"
import { readOnlyToken } from "../../nodes/exchange-b/ExchangeBChain.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { asCurrency } from "../../../../src/domain/families/AddressCodec.ts"
import { lighterChainIdOf } from "../../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import {
  encodeExchangeBWithdrawal,
  exchangeBWithdrawalId
} from "../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import { assetOf } from "../../../../src/domain/families/exchange-b/payment/Asset.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { API_KEY_INDEX, mined, send } from "../demo/ExchangeBWallet.ts"
import type { DraftWithdrawal, ExchangeBTarget } from "./WithdrawalChain.ts"

const decodeFee = Schema.decodeUnknownSync(Schema.Struct({ transfer_fee_usdc: Schema.Int }))
const decodeNonce = Schema.decodeUnknownSync(Schema.Struct({ nonce: Schema.Int }))

/** It pays for no order. */
const NO_MEMO = Hex32.make(`0x${"00".repeat(32)}`)

/** What the exchange says to a question, and whether it knows what was asked for. */
const ask = ({ id, rpcUrl }: ExchangeBTarget, question: string) =>
  Effect.tryPromise({
    try: async () => {
      const answer = await fetch(`${rpcUrl}/api/v1/${question}`)
      const said: unknown = await answer.json()
      return { isKnown: answer.status === 200, said }
    },
    catch: (cause) => new LocalnetError({ message: `${id} does not answer: ${reasonOf(cause)}` })
  })

/** The fee of a transfer to the recipient, smallest units of USDC, and the API key's next nonce. */
const readTerms = Effect.fnUntraced(function*(target: ExchangeBTarget, recipient: string) {
  const { depository, id } = target
  const account = yield* ask(target, `account?by=index&value=${recipient}`)
  if (!account.isKnown) {
    return yield* new LocalnetError({
      message: `${recipient} has no account on ${id}, and only its owner can open one: name another --recipient`
    })
  }
  const token = encodeURIComponent(readOnlyToken(depository.index))
  const fee = yield* ask(
    target,
    `transferFeeInfo?account_index=${depository.index}&to_account_index=${recipient}&auth=${token}`
  )
  const next = yield* ask(target, `nextNonce?account_index=${depository.index}&api_key_index=${API_KEY_INDEX}`)
  return yield* Effect.try({
    try: () => ({ fee: decodeFee(fee.said).transfer_fee_usdc, nonce: decodeNonce(next.said).nonce }),
    catch: (cause) => new LocalnetError({ message: `${id} does not say what a transfer takes: ${reasonOf(cause)}` })
  })
})

export const draftOn = (target: ExchangeBTarget): DraftWithdrawal =>
  Effect.fnUntraced(function*({ amount, recipient }) {
    const { currency, depository, id: chain } = target
    const { fee, nonce } = yield* readTerms(target, recipient)
    const pays = amount - BigInt(fee)
    if (pays <= 0n) {
      return yield* new LocalnetError({
        message: `${amount} smallest units do not cover the fee of ${fee} on ${chain}`
      })
    }
    const { assetIndex, route } = assetOf(asCurrency(currency.address))
    const { encoded, id } = yield* Effect.orDie(Effect.fromResult(Result.gen(function*() {
      const withdrawal = {
        nonce: BigInt(nonce),
        fromAccountIndex: BigInt(depository.index),
        fromRouteType: route,
        apiKeyIndex: BigInt(API_KEY_INDEX),
        toAccountIndex: BigInt(recipient),
        toRouteType: route,
        assetIndex,
        amount: pays,
        usdcFee: BigInt(fee),
        lighterChainId: lighterChainIdOf("mainnet"),
        memo: NO_MEMO
      }
      return {
        encoded: yield* encodeExchangeBWithdrawal(withdrawal),
        id: yield* exchangeBWithdrawalId(withdrawal)
      }
    })))
    return {
      id,
      encoded,
      pays,
      execute: Effect.gen(function*() {
        const parameters = {
          toAccountIndex: Number(recipient),
          assetIndex: Number(assetIndex),
          fromRouteType: Number(route),
          toRouteType: Number(route),
          amount: Number(pays),
          usdcFee: fee,
          memo: NO_MEMO
        }
        const key = `${depository.index}:${depository.privateKey}`
        const transaction = yield* send(target, key, { action: { type: "transfer", parameters } }, nonce)
        const { succeeded } = yield* mined(target, transaction)
        return succeeded
          ? { transaction, arrived: pays }
          : yield* new LocalnetError({ message: `${chain} did not execute the withdrawal ${transaction}` })
      })
    }
  })
