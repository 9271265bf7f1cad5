/**
 * Withdrawals on exchange A: a transfer of the depository's account (EXCHANGEA-7), which its key signs.
 *
 * The exchange takes the fee for a new account from the sender. So only an account that exists is paid: the depository
 * keeps what it owes to all others.
 */
import { Clock, Effect, Result, Schema } from "effect"
import {
  encodeExchangeAWithdrawal,
  exchangeAWithdrawalId
} from "../../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { asCurrency } from "../../../../src/domain/families/AddressCodec.ts"
import { transferData } from "../../../../src/domain/families/exchange-a/steps/StepData.ts"
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { amountText } from "../demo/DemoChain.ts"
import { mined, send } from "../demo/ExchangeAWallet.ts"
import type { DraftWithdrawal, ExchangeATarget } from "./WithdrawalChain.ts"

const decodeCheck = Schema.decodeUnknownSync(Schema.Struct({ userExists: Schema.Boolean }))

const refuseNew = ({ depository, id, rpcUrl }: ExchangeATarget, recipient: string) =>
  Effect.tryPromise({
    try: async () => {
      const body = { type: "preTransferCheck", user: recipient, source: depository.address }
      return decodeCheck(await (await fetch(`${rpcUrl}/info`, { method: "POST", body: JSON.stringify(body) })).json())
    },
    catch: (cause) => new LocalnetError({ message: `${id} does not answer: ${reasonOf(cause)}` })
  }).pipe(
    Effect.filterOrFail(
      ({ userExists }) => userExists,
      () => new LocalnetError({ message: `${recipient} has no account on ${id}: its fee would be the depository's` })
    )
  )

export const draftOn = (target: ExchangeATarget): DraftWithdrawal =>
  Effect.fnUntraced(function*({ amount, recipient }) {
    const { currency, depository } = target
    yield* refuseNew(target, recipient)
    const made = yield* Effect.orDie(Effect.fromResult(addressCodec("exchangea-vm").parse(recipient)))
    const step = transferData({ network: "mainnet" }, made, {
      currency: { address: asCurrency(currency.address), decimals: currency.decimals },
      amount,
      tokenName: "USDC",
      nonce: yield* Clock.currentTimeMillis
    })
    const { nonce, ...parameters } = step.action.parameters
    const withdrawal = { _tag: "SendAsset", ...parameters, nonce: BigInt(nonce) } as const
    const { encoded, id } = yield* Effect.orDie(Effect.fromResult(Result.all({
      encoded: encodeExchangeAWithdrawal(withdrawal),
      id: exchangeAWithdrawalId(withdrawal)
    })))
    return {
      id,
      encoded,
      pays: amount,
      execute: Effect.gen(function*() {
        const transaction = yield* send(target, depository.privateKey, step)
        const { succeeded } = yield* mined(target, transaction)
        return succeeded
          ? { transaction, arrived: amount }
          : yield* new LocalnetError({ message: `${amountText(amount, currency)} were not paid` })
      })
    }
  })
