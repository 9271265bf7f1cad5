/**
 * Withdrawals of the six families by name, with the request format of each: for code that makes withdrawals. Judging
 * uses the rules of the chain's family instead (`WithdrawalRules`), whatever family it is.
 */
import type { FamilyName } from "../chain/VmFamily.ts"
import * as Result from "effect/Result"
import type { Hex, Hex32 } from "../encoding/Hex.ts"
import { bitcoinCodec, encodeBitcoinWithdrawal } from "./bitcoin/BitcoinWithdrawal.ts"
import type { Psbt } from "./bitcoin/Psbt.ts"
import type { CallRequest } from "./ethereum/CallRequest.ts"
import { encodeEthereumWithdrawal, ethereumCodec } from "./ethereum/EthereumWithdrawal.ts"
import { encodeExchangeAWithdrawal, exchangeACodec } from "./exchange-a/ExchangeAWithdrawal.ts"
import type { ExchangeAWithdrawal } from "./exchange-a/ExchangeAWithdrawal.ts"
import { encodeExchangeBWithdrawal, exchangeBCodec } from "./exchange-b/ExchangeBWithdrawal.ts"
import type { ExchangeBWithdrawal } from "./exchange-b/ExchangeBWithdrawal.ts"
import { invalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { InvalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../hub/withdrawal/Payout.ts"
import type { PayoutContext, WithdrawalCodec } from "../hub/withdrawal/WithdrawalRules.ts"
import { encodeSolanaWithdrawal, solanaCodec } from "./solana/SolanaWithdrawal.ts"
import type { SolanaWithdrawal } from "./solana/SolanaWithdrawal.ts"
import { encodeTronWithdrawal, tronCodec } from "./tron/TronWithdrawal.ts"

/** How each family writes its requests. */
interface Requests {
  readonly "ethereum-vm": CallRequest
  readonly "tron-vm": CallRequest
  readonly "solana-vm": SolanaWithdrawal
  readonly "bitcoin-vm": Psbt
  readonly "exchangea-vm": ExchangeAWithdrawal
  readonly "exchangeb-vm": ExchangeBWithdrawal
}
type Known = keyof Requests

/** What a withdrawal asks of its chain's depository, in the words of the chain's family. */
export type Withdrawal<Family extends Known = Known> = {
  [F in Family]: { readonly family: F; readonly request: Requests[F] }
}[Family]

interface TwoWayCodec<Request> extends WithdrawalCodec<Request> {
  readonly encode: (request: Request) => Result.Result<Hex, InvalidWithdrawal>
}

const codecs: { readonly [F in Known]: TwoWayCodec<Requests[F]> } = {
  "ethereum-vm": { ...ethereumCodec, encode: encodeEthereumWithdrawal },
  "tron-vm": { ...tronCodec, encode: encodeTronWithdrawal },
  "solana-vm": { ...solanaCodec, encode: encodeSolanaWithdrawal },
  "bitcoin-vm": { ...bitcoinCodec, encode: (psbt) => Result.succeed(encodeBitcoinWithdrawal(psbt)) },
  "exchangea-vm": { ...exchangeACodec, encode: encodeExchangeAWithdrawal },
  "exchangeb-vm": { ...exchangeBCodec, encode: encodeExchangeBWithdrawal }
}

const isKnown = (family: FamilyName): family is Known => Object.hasOwn(codecs, family)

const decodeOf = <Family extends Known>(
  family: Family,
  encoded: Hex
): Result.Result<Withdrawal<Family>, InvalidWithdrawal> =>
  Result.map(codecs[family].decode(encoded), (request) => ({ family, request }))

/** The withdrawal that these bytes say on a chain of the family. */
export const decodeWithdrawal = (
  family: FamilyName,
  encoded: Hex
): Result.Result<Withdrawal, InvalidWithdrawal> =>
  isKnown(family)
    ? decodeOf(family, encoded)
    : invalidWithdrawal(family, "this version knows no withdrawals of the family")

/** The one encoding of a withdrawal; fails when a value does not fit its member. */
export const encodeWithdrawal = <Family extends Known>(
  { family, request }: Withdrawal<Family>
): Result.Result<Hex, InvalidWithdrawal> => codecs[family].encode(request)

/** The id of a withdrawal; fails as encoding does. */
export const withdrawalId = <Family extends Known>(
  { family, request }: Withdrawal<Family>
): Result.Result<Hex32, InvalidWithdrawal> => codecs[family].idOf(request)

/** The one payment of a withdrawal; anything that pays otherwise is an error. */
export const payoutOf = <Family extends Known>(
  { family, request }: Withdrawal<Family>,
  context: PayoutContext
): Result.Result<Payout, InvalidWithdrawal> => codecs[family].payoutOf(request, context)
