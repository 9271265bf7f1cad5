/** An account of exchange B as one endpoint shows it: what it can transfer, and what a transfer costs. */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { canBePaid } from "../../../src/domain/families/exchange-b/payment/AccountKind.ts"
import { assetOf, PERPS } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { NotFound } from "../decode/NodeAnswers.ts"
import { AccountAnswer, FeeAnswer, RecipientAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"

const decodeAccount = Schema.decodeUnknownEffect(AccountAnswer)
const decodeRecipient = Schema.decodeUnknownEffect(RecipientAnswer)
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

/** Whether anybody can pay the account: it exists, and is no pool (EXCHANGEB-26). */
export const isPayable = Effect.fnUntraced(
  function*(client: ExchangeBClient, index: Address, deadline: number): Effect.fn.Return<boolean, ExchangeBFault> {
    const said = yield* client.account(index, deadline)
    if (isNotFound(said)) return false
    const { accounts: [account] } = yield* undecodable(decodeRecipient(said))
    if (account === undefined) return false
    if (`${account.index}` !== index) return yield* Effect.fail("contradiction" as const)
    return canBePaid(account.account_type ?? undefined)
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

/**
 * What a user can transfer of a currency, smallest units; undefined when no account has the index. Zero where the answer
 * says nothing that can be transferred: what a stranger's account shows must not make its quotes fail.
 */
export const shownBalance = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    index: Address,
    currency: Pick<Currency, "address" | "decimals">,
    deadline: number
  ): Effect.fn.Return<bigint | undefined, ExchangeBFault> {
    const said = yield* client.account(index, deadline)
    if (isNotFound(said)) return undefined
    const { accounts: [found] } = yield* undecodable(decodeRecipient(said))
    if (found === undefined) return undefined
    if (`${found.index}` !== index) return yield* Effect.fail("contradiction" as const)
    const shown = yield* Effect.option(decodeAccount(said))
    const [account] = shown._tag === "Some" ? shown.value.accounts : []
    return account === undefined ? 0n : yield* Effect.orElseSucceed(transferable(account, currency), () => 0n)
  }
)

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
