/**
 * What a Tron wallet is asked to sign (TRON-5): approval, deposit and direct payment, as the parameters of
 * `wallet/triggersmartcontract` and `wallet/createtransaction`. The service builds them, and the client builds them again
 * to compare. Pure.
 *
 * Accounts are `41` and 40 digits, as nodes write them: wallets send these with `visible: false`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Address } from "../../../chain/Address.ts"
import type { Chain } from "../../../chain/Chain.ts"
import { abiAddress, abiBytes32, abiTuple, abiUint, encodeAbi } from "../../../encoding/Abi.ts"
import type { InvalidAbi } from "../../../encoding/Abi.ts"
import type { Hex } from "../../../encoding/Hex.ts"
import type { Currency } from "../../../money/Currency.ts"
import type { OrderId } from "../../../order/Order.ts"
import type { TronCallData, TronTransferData } from "../TronTransactionData.ts"
import type { InvalidAddress } from "../../AddressCodec.ts"
import { accountOfTron } from "../TronAddresses.ts"

/** What one user pays. Smallest units of the currency. */
export interface TronPayment {
  readonly user: Address
  readonly currency: Pick<Currency, "address" | "isNative">
  readonly amount: bigint
}

/** Amounts of TRX are JSON numbers in a wallet's request, and exact up to here. In sun. */
export const MOST_NATIVE = BigInt(Number.MAX_SAFE_INTEGER)

/** An amount of TRX above `MOST_NATIVE`. */
export class AmountNotExact extends Schema.TaggedError<AmountNotExact>()("AmountNotExact", {}) {
  override get message(): string {
    return "not exact as a JSON number"
  }
}

type Made<A> = Result.Result<A, InvalidAbi | InvalidAddress | AmountNotExact>

const selectors = {
  depositNative: "49290c1c",
  depositErc20: "e8017952",
  transfer: "a9059cbb",
  approve: "095ea7b3"
} as const

const toAccount = abiTuple({ account: abiAddress, amount: abiUint(256) })
const transferWithId = abiTuple({ account: abiAddress, amount: abiUint(256), id: abiBytes32 })
const native = abiTuple({ depositor: abiAddress, id: abiBytes32 })
const erc20 = abiTuple({ depositor: abiAddress, token: abiAddress, amount: abiUint(256), id: abiBytes32 })

const nodeForm = (account: Address): string => `41${account.slice(2)}`

const sunOf = (amount: bigint): Result.Result<number, AmountNotExact> =>
  amount > MOST_NATIVE ? Result.fail(new AmountNotExact({})) : Result.succeed(Number(amount))

/** `contract` is in Tron's spelling. */
const callOf = (
  user: Address,
  contract: string,
  selector: keyof typeof selectors,
  args: Result.Result<Hex, InvalidAbi | InvalidAddress>,
  value = 0n
): Made<TronCallData> =>
  Result.map(
    Result.all({ from: accountOfTron(user), to: accountOfTron(contract), encoded: args, sun: sunOf(value) }),
    ({ encoded, from, sun, to }) => ({
      type: "TriggerSmartContract",
      parameter: {
        owner_address: nodeForm(from),
        contract_address: nodeForm(to),
        data: `${selectors[selector]}${encoded.slice(2)}`,
        call_value: sun
      }
    })
  )

/** Lets the depository take exactly these units of the token. */
export const approvalData = (
  { currency, user }: TronPayment,
  { depository }: Pick<Chain, "depository">,
  units: bigint
): Made<TronCallData> =>
  callOf(
    user,
    currency.address,
    "approve",
    Result.flatMap(accountOfTron(depository), (account) => encodeAbi(toAccount, { account, amount: units }))
  )

/** A call of the depository, for TRX too: wallets know no other kind. */
export const depositData = (
  { amount, currency, user }: TronPayment,
  { depository }: Pick<Chain, "depository">,
  id: OrderId
): Made<TronCallData> =>
  currency.isNative
    ? callOf(
      user,
      depository,
      "depositNative",
      Result.flatMap(accountOfTron(user), (depositor) => encodeAbi(native, { depositor, id })),
      amount
    )
    : callOf(
      user,
      depository,
      "depositErc20",
      Result.flatMap(
        Result.all({ depositor: accountOfTron(user), token: accountOfTron(currency.address) }),
        (accounts) => encodeAbi(erc20, { ...accounts, amount, id })
      )
    )

/** The token's transfer to the recipient, with the order's id, if there is one, behind its arguments. */
const tokenSend = (
  { amount, currency, user }: TronPayment,
  recipient: Address,
  id: OrderId | undefined
): Made<TronCallData> =>
  callOf(
    user,
    currency.address,
    "transfer",
    Result.flatMap(
      accountOfTron(recipient),
      (account) =>
        id === undefined
          ? encodeAbi(toAccount, { account, amount })
          : encodeAbi(transferWithId, { account, amount, id })
    )
  )

/** TRX with the order's id, if there is one, as memo. */
const nativeSend = (
  { amount, user }: TronPayment,
  recipient: Address,
  id: OrderId | undefined
): Made<TronTransferData> =>
  Result.map(
    Result.all({ from: accountOfTron(user), to: accountOfTron(recipient), sun: sunOf(amount) }),
    ({ from, sun, to }) => ({
      type: "TransferContract",
      parameter: { owner_address: nodeForm(from), to_address: nodeForm(to), amount: sun },
      ...(id === undefined ? {} : { memo: id })
    })
  )

/** A payment from the user to the recipient, within the chain. A deposit address is paid without an id (TRON-20). */
export const sendData = (
  payment: TronPayment,
  recipient: Address,
  id: OrderId | undefined
): Made<TronCallData | TronTransferData> =>
  payment.currency.isNative ? nativeSend(payment, recipient, id) : tokenSend(payment, recipient, id)
