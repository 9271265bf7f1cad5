/** What a payment on exchange A needs to be made now, as one endpoint shows it: its transfer and its costs. */
import { Effect } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PaymentCost } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { writeDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { PERPS_TOKEN } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { assetOf, movableUnit } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import { KEPT_ON_PERPS } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import { readTransferable } from "../quote/Balance.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"
import { readFee } from "./NewAccountFee.ts"
import { readAsset } from "./ReadAsset.ts"

/** A payment that lacks only its nonce. */
export interface Transferable {
  readonly _tag: "Transferable"
  readonly transfer: Omit<SendAsset, "nonce">
  readonly costs: ReadonlyArray<PaymentCost>
}

const refused = (reason: PaymentRefused["reason"]) => new PaymentRefused({ reason })

const positive = (amount: bigint): bigint => amount > 0n ? amount : 0n

/** What the account can pay out of USDC on perps. */
export const spendableOnPerps = (held: bigint): bigint => positive(held - KEPT_ON_PERPS)

/**
 * The exchange takes the fee for a new account from any USDC of the account. So each holding of USDC must suffice for
 * it, besides what is paid.
 */
export const readPayment = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { amount, chain, currency, recipient }: Payment,
    deadline: number
  ): Effect.fn.Return<Transferable | PaymentRefused, ExchangeAFault> {
    // To itself it pays nobody, and to the depository it would be a deposit.
    if (recipient === account || recipient === chain.depository) return refused("reverts")
    const asset = yield* readAsset(client, currency, deadline)
    // Nothing is rounded here: a quote has amounts that the exchange can move.
    if (amount === 0n || amount % movableUnit(asset, asset.decimals) !== 0n) return refused("reverts")
    const [fee, onPerps, held] = yield* Effect.all([
      readFee(client, { recipient, source: account }, deadline),
      readTransferable(client, account, chain.native, "", deadline),
      currency.isNative ? Effect.succeed(undefined) : readTransferable(client, account, currency, asset.name, deadline)
    ], { concurrency: "unbounded" })
    if (fee === undefined) return refused("reverts")
    const isSpotUsdc = held !== undefined && assetOf(currency.address).tokenId === PERPS_TOKEN
    const costs: ReadonlyArray<PaymentCost> = [
      {
        holder: account,
        currency: chain.native.address,
        amount: fee + (held === undefined ? amount : 0n),
        balance: spendableOnPerps(onPerps)
      },
      ...(held === undefined
        ? []
        : [{
          holder: account,
          currency: currency.address,
          amount: amount + (isSpotUsdc ? fee : 0n),
          balance: held
        }])
    ]
    const isShort = onPerps < KEPT_ON_PERPS || costs.some((cost) => cost.amount > cost.balance)
    return isShort ? refused("insufficient-funds") : {
      _tag: "Transferable",
      transfer: {
        _tag: "SendAsset",
        hyperliquidChain: networkOf(chain),
        destination: recipient,
        sourceDex: asset.dex,
        destinationDex: asset.dex,
        token: asset.token,
        amount: writeDecimal(amount, asset.decimals),
        fromSubAccount: ""
      },
      costs
    }
  }
)
