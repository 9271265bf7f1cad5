/** An account of exchange B as one endpoint shows it: what it can transfer, and what a transfer costs. */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { assetOf, PERPS } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { NotFound } from "../decode/NodeAnswers.ts"
import { AccountAnswer, FeeAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"

const decodeAccount = Schema.decodeUnknownEffect(AccountAnswer)
const decodeFee = Schema.decodeUnknownEffect(FeeAnswer)
const isNotFound = Schema.is(NotFound)

type Account = (typeof AccountAnswer.Type)["accounts"][number]

/** Undefined when no account has the index. */
export const readAccount = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    index: Address,
    deadline: number
  ): Effect.fn.Return<Account | undefined, ExchangeBFault> {
    const said = yield* client.account(index, deadline)
    if (isNotFound(said)) return undefined
    const { accounts: [account] } = yield* undecodable(decodeAccount(said))
    return account === undefined || `${account.index}` === index
      ? account
      : yield* Effect.fail("contradiction" as const)
  }
)

/** What the account can transfer of a currency, smallest units. */
export const transferable = (
  { assets, available_balance: available }: Account,
  { address, decimals }: Pick<Currency, "address" | "decimals">
): Effect.Effect<bigint, ExchangeBFault> => {
  const { assetIndex, route } = assetOf(address)
  const held = assets.find(({ asset_id }) => BigInt(asset_id) === assetIndex)
  const free = route === PERPS ? scaleDecimal(available, decimals) : scaleDecimal(held?.balance ?? "0", decimals)
  const locked = route === PERPS ? 0n : scaleDecimal(held?.locked_balance ?? "0", decimals)
  if (free === undefined || locked === undefined) return Effect.fail("undecodable")
  return Effect.succeed(free > locked ? free - locked : 0n)
}

/** Smallest units of USDC, whatever is transferred. */
export const readFee = (
  client: ExchangeBClient,
  from: { readonly account: Address; readonly token: Redacted.Redacted },
  to: Address,
  deadline: number
): Effect.Effect<bigint, ExchangeBFault> =>
  client.transferFee(from, to, deadline).pipe(
    Effect.flatMap((said) => undecodable(decodeFee(said))),
    Effect.map(({ transfer_fee_usdc: fee }) => BigInt(fee))
  )
