/**
 * Withdrawals of the six families by name, with each family's request format: for code that makes withdrawals. Judges
 * use the rules of the chain's family instead (`WithdrawalRules`), which works for every family.
 */
import type { FamilyName } from "../chain/VmFamily.ts"
import * as Result from "effect/Result"
import type { Hex, Hex32 } from "../encoding/Hex.ts"
import { bitcoinCodec, encodeBitcoinWithdrawal } from "./bitcoin/BitcoinWithdrawal.ts"
import type { Psbt } from "./bitcoin/Psbt.ts"
import type { CallRequest } from "./ethereum/CallRequest.ts"
import { ethereumCodec } from "./ethereum/EthereumWithdrawal.ts"
import { encodeExchangeAWithdrawal, exchangeACodec } from "./exchange-a/ExchangeAWithdrawal.ts"
import type { ExchangeAWithdrawal } from "./exchange-a/ExchangeAWithdrawal.ts"
import { encodeExchangeBWithdrawal, exchangeBCodec } from "./exchange-b/ExchangeBWithdrawal.ts"
import type { ExchangeBWithdrawal } from "./exchange-b/ExchangeBWithdrawal.ts"
import { invalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { InvalidWithdrawal } from "../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../hub/withdrawal/Payout.ts"
import type { PayoutContext, TwoWayCodec } from "../hub/withdrawal/WithdrawalRules.ts"
import { encodeSolanaWithdrawal, solanaCodec } from "./solana/SolanaWithdrawal.ts"
import type { SolanaWithdrawal } from "./solana/SolanaWithdrawal.ts"
import { tronCodec } from "./tron/TronWithdrawal.ts"

/** The request format of each family. */
interface Requests {
  readonly "ethereum-vm": CallRequest
  readonly "tron-vm": CallRequest
  readonly "solana-vm": SolanaWithdrawal
  readonly "bitcoin-vm": Psbt
  readonly "exchangea-vm": ExchangeAWithdrawal
  readonly "exchangeb-vm": ExchangeBWithdrawal
}
type Known = keyof Requests

/** The request that a withdrawal makes to its chain's depository, in the family's own format. */
export type Withdrawal<Family extends Known = Known> = {
  [F in Family]: { readonly family: F; readonly request: Requests[F] }
}[Family]

const codecs: { readonly [F in Known]: TwoWayCodec<Requests[F]> } = {
  "ethereum-vm": ethereumCodec,
  "tron-vm": tronCodec,
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

/** Decodes a withdrawal on a chain of the family. */
export const decodeWithdrawal = (
  family: FamilyName,
  encoded: Hex
): Result.Result<Withdrawal, InvalidWithdrawal> =>
  isKnown(family)
    ? decodeOf(family, encoded)
    : invalidWithdrawal(family, "this version knows no withdrawals of the family")

/** The canonical encoding of a withdrawal. Fails when a value does not fit its member. */
export const encodeWithdrawal = <Family extends Known>(
  { family, request }: Withdrawal<Family>
): Result.Result<Hex, InvalidWithdrawal> => codecs[family].encode(request)

/** The id of a withdrawal. Fails when encoding fails. */
export const withdrawalId = <Family extends Known>(
  { family, request }: Withdrawal<Family>
): Result.Result<Hex32, InvalidWithdrawal> => codecs[family].idOf(request)

/** The single payment of a withdrawal. Anything that does not make exactly one payment is an error. */
export const payoutOf = <Family extends Known>(
  { family, request }: Withdrawal<Family>,
  context: PayoutContext
): Result.Result<Payout, InvalidWithdrawal> => codecs[family].payoutOf(request, context)
