/** What an account of exchange B has of a currency, and what its transfer to the depository costs, at one endpoint. */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { assetOf, PERPS } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { DepositoryAccess } from "../DepositoryAccess.ts"
import { NotFound } from "../decode/NodeAnswers.ts"
import { AccountAnswer, FeeAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"

const decodeAccount = Schema.decodeUnknownEffect(AccountAnswer)
const decodeFee = Schema.decodeUnknownEffect(FeeAnswer)
const isNotFound = Schema.is(NotFound)

const unitsOf = (text: string, decimals: number): Effect.Effect<bigint, ExchangeBFault> => {
  const units = scaleDecimal(text, decimals)
  return units === undefined ? Effect.fail("undecodable" as const) : Effect.succeed(units)
}

/** Smallest units, without what is locked. Nothing for an account that does not exist. */
export const readTransferable = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    user: Address,
    { address, decimals }: Pick<Currency, "address" | "decimals">,
    deadline: number
  ): Effect.fn.Return<bigint, ExchangeBFault> {
    const said = yield* client.account(user, deadline)
    if (isNotFound(said)) return 0n
    const { accounts: [account] } = yield* undecodable(decodeAccount(said))
    if (account === undefined) return 0n
    if (account.index.toString() !== user) return yield* Effect.fail("contradiction" as const)
    const { assetIndex, route } = assetOf(address)
    if (route === PERPS) return yield* unitsOf(account.available_balance, decimals)
    const held = account.assets.find(({ asset_id }) => BigInt(asset_id) === assetIndex)
    if (held === undefined) return 0n
    const [total, locked] = [yield* unitsOf(held.balance, decimals), yield* unitsOf(held.locked_balance, decimals)]
    return total > locked ? total - locked : 0n
  }
)

/**
 * What a transfer between the depository and the user costs, smallest units of USDC: the configured fee, else the
 * exchange's word. It tells an account what its own transfers cost, and the depository's token is the only one we have.
 */
export const readTransferFee = (
  client: ExchangeBClient,
  { token, transferFee }: DepositoryAccess["Service"],
  depository: Address,
  user: Address,
  deadline: number
): Effect.Effect<bigint, ExchangeBFault> =>
  transferFee !== undefined
    ? Effect.succeed(transferFee)
    : Effect.map(
      Effect.flatMap(
        client.transferFee({ account: depository, token }, user, deadline),
        (said) => undecodable(decodeFee(said))
      ),
      ({ transfer_fee_usdc: fee }) => BigInt(fee)
    )
