/**
 * Withdrawals of exchangea-vm: a transfer that the depository's account signs (EXCHANGEA-7).
 *
 * On the wire: abi of one tuple (uint8 txType, bytes parameters), whose parameters are again one tuple. The id is the
 * EIP-712 struct hash under the exchange's own primary types. The exchange's transaction has the same hash.
 */
import * as Result from "effect/Result"
import { abiBytes, abiString, abiTuple, abiUint, decodeAbi, encodeAbi, type InvalidAbi } from "../../encoding/Abi.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"
import { asCurrency } from "../AddressCodec.ts"
import { exchangeAAddresses } from "./ExchangeAAddresses.ts"
import { type Hex, type Hex32, hex32FromDigest } from "../../encoding/Hex.ts"
import { hashWords, keccakText, word } from "../../encoding/StructHash.ts"
import { scaleDecimal } from "./DecimalAmount.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { neverExpires, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"

/** A transfer of USDC between perps accounts (EXCHANGEA-7). */
export interface UsdSend {
  readonly _tag: "UsdSend"
  readonly hyperliquidChain: string
  readonly destination: string
  /** A decimal string, exactly as it is signed. */
  readonly amount: string
  /** Milliseconds since 1970. Serves as the exchange's nonce. */
  readonly time: bigint
}

/** A transfer of any token, between dexes too (EXCHANGEA-7). */
export interface SendAsset {
  readonly _tag: "SendAsset"
  readonly hyperliquidChain: string
  readonly destination: string
  /** "" for USDC perps, "spot", or the name of a perps dex. */
  readonly sourceDex: string
  readonly destinationDex: string
  /** "NAME:0x" and the 32 hex digits of the token id. */
  readonly token: string
  readonly amount: string
  readonly fromSubAccount: string
  readonly nonce: bigint
}

export type ExchangeAWithdrawal = UsdSend | SendAsset

const family = "exchangea-vm"
const named = asInvalidWithdrawal(family)

const outerShape = abiTuple({ withdrawal: abiTuple({ txType: abiUint(8), parameters: abiBytes }) })
const usdSendShape = abiTuple({
  parameters: abiTuple({ hyperliquidChain: abiString, destination: abiString, amount: abiString, time: abiUint(64) })
})
const sendAssetShape = abiTuple({
  parameters: abiTuple({
    hyperliquidChain: abiString,
    destination: abiString,
    sourceDex: abiString,
    destinationDex: abiString,
    token: abiString,
    amount: abiString,
    fromSubAccount: abiString,
    nonce: abiUint(64)
  })
})

const usdSendTypeHash = keccakText(
  "HyperliquidTransaction:UsdSend(string hyperliquidChain,string destination,string amount,uint64 time)"
)
const sendAssetTypeHash = keccakText(
  "HyperliquidTransaction:SendAsset(string hyperliquidChain,string destination,string sourceDex," +
    "string destinationDex,string token,string amount,string fromSubAccount,uint64 nonce)"
)

const wrap = (txType: bigint, parameters: Result.Result<Hex, InvalidAbi>): Result.Result<Hex, InvalidAbi> =>
  Result.flatMap(parameters, (inner) => encodeAbi(outerShape, { withdrawal: { txType, parameters: inner } }))

/** Fails when a number does not fit its 64 bits, or a text is not valid UTF-8. */
export const encodeExchangeAWithdrawal = (withdrawal: ExchangeAWithdrawal): Result.Result<Hex, InvalidWithdrawal> =>
  Result.mapError(
    withdrawal._tag === "UsdSend"
      ? wrap(0n, encodeAbi(usdSendShape, { parameters: withdrawal }))
      : wrap(1n, encodeAbi(sendAssetShape, { parameters: withdrawal })),
    named
  )

/** Accepts the canonical encoding only. */
export const decodeExchangeAWithdrawal = (encoded: Hex): Result.Result<ExchangeAWithdrawal, InvalidWithdrawal> =>
  Result.gen(function*() {
    const { withdrawal } = yield* Result.mapError(decodeAbi(outerShape, encoded), named)
    if (withdrawal.txType === 0n) {
      const { parameters } = yield* Result.mapError(decodeAbi(usdSendShape, withdrawal.parameters), named)
      return { _tag: "UsdSend", ...parameters }
    }
    if (withdrawal.txType === 1n) {
      const { parameters } = yield* Result.mapError(decodeAbi(sendAssetShape, withdrawal.parameters), named)
      return { _tag: "SendAsset", ...parameters }
    }
    return yield* invalidWithdrawal(family, "no known transaction type")
  })

/** Fails when encoding fails. */
export const exchangeAWithdrawalId = (withdrawal: ExchangeAWithdrawal): Result.Result<Hex32, InvalidWithdrawal> =>
  Result.map(encodeExchangeAWithdrawal(withdrawal), () =>
    hex32FromDigest(
      withdrawal._tag === "UsdSend"
        ? hashWords([
          usdSendTypeHash,
          keccakText(withdrawal.hyperliquidChain),
          keccakText(withdrawal.destination),
          keccakText(withdrawal.amount),
          word(withdrawal.time)
        ])
        : hashWords([
          sendAssetTypeHash,
          keccakText(withdrawal.hyperliquidChain),
          keccakText(withdrawal.destination),
          keccakText(withdrawal.sourceDex),
          keccakText(withdrawal.destinationDex),
          keccakText(withdrawal.token),
          keccakText(withdrawal.amount),
          keccakText(withdrawal.fromSubAccount),
          word(withdrawal.nonce)
        ])
    ))

/** The id of USDC, which is what perps hold. */
export const PERPS_TOKEN = "0x6d1e7cde53ba9467b783cb7c530ce054"

/**
 * The currency of a dex and token of the exchange (EXCHANGEA-2): USDC on perps is the native currency, a spot token is
 * its id, a token on a named dex is its id and the dex name.
 */
export const exchangeACurrency = (dex: string, token: string): Result.Result<CurrencyAddress, InvalidWithdrawal> => {
  const tokenId = token.slice(token.indexOf(":") + 1)
  if (dex === "") {
    return tokenId.toLowerCase() === PERPS_TOKEN
      ? Result.succeed(exchangeAAddresses.nativeCurrency)
      : invalidWithdrawal(family, "another token than USDC on perps")
  }
  if (!/^0x[0-9a-fA-F]{32}$/.test(tokenId)) return invalidWithdrawal(family, "no token id")
  if (dex === "spot") return Result.succeed(asCurrency(tokenId.toLowerCase()))
  if (!/^[\x21-\x7e]+$/.test(dex)) return invalidWithdrawal(family, "a dex name that is not printable ASCII")
  const name = Array.from(dex, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("")
  return Result.mapError(exchangeAAddresses.parseCurrency(tokenId + name), named)
}

/** Only for money that stays on its dex and comes from the main account. */
const currencyOf = (withdrawal: ExchangeAWithdrawal): Result.Result<CurrencyAddress, InvalidWithdrawal> => {
  if (withdrawal._tag === "UsdSend") return Result.succeed(exchangeAAddresses.nativeCurrency)
  const { destinationDex, fromSubAccount, sourceDex, token } = withdrawal
  if (fromSubAccount !== "") return invalidWithdrawal(family, "paid from a sub-account")
  if (sourceDex !== destinationDex) return invalidWithdrawal(family, "paid from one dex to another")
  return exchangeACurrency(sourceDex, token)
}

/**
 * The payout, with the amount scaled by the token's wei decimals. The money must stay on its dex and come from the
 * depository's main account. Anything else is an error.
 */
const payoutOf = (
  withdrawal: ExchangeAWithdrawal,
  decimals: (currency: CurrencyAddress) => number | undefined
): Result.Result<Payout, InvalidWithdrawal> =>
  Result.gen(function*() {
    const recipient = yield* Result.mapError(exchangeAAddresses.parse(withdrawal.destination), named)
    const currency = yield* currencyOf(withdrawal)
    const digits = decimals(currency)
    if (digits === undefined) {
      return yield* invalidWithdrawal(family, "a token that is not configured: its decimals are not known")
    }
    const amount = scaleDecimal(withdrawal.amount, digits)
    return amount === undefined || amount === 0n
      ? yield* invalidWithdrawal(family, "no exact amount above zero")
      : { currency, recipient, amount }
  })

/** A withdrawal never expires by age. */
export const exchangeACodec: WithdrawalCodec<ExchangeAWithdrawal> = {
  decode: decodeExchangeAWithdrawal,
  idOf: exchangeAWithdrawalId,
  payoutOf: (request, { decimals }) => payoutOf(request, decimals),
  expirationOf: neverExpires
}

/** The family's withdrawals, for judges. */
export const exchangeAWithdrawals = withdrawalRules(exchangeACodec)
