/**
 * What a wallet signs to have app fees or unspent balance paid out (BALANCE-4), by EIP-712.
 *
 * The domain names the settlement chain and the solver, so that a signature is good for one service only; the two kinds
 * are types of their own, so that a claim is no withdrawal. The digest is the payout's id: what was signed is one
 * payout, however often it is sent. SECURITY: never 32 raw bytes, and every member is shown by the wallet that signs.
 */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word, wordOf } from "../encoding/StructHash.ts"
import type { LedgerCurrency } from "./Transaction.ts"

/** App fees of a recipient, or app balance of a sponsor. */
export const PayoutKind = Schema.Literals(["claim", "withdraw"])
export type PayoutKind = typeof PayoutKind.Type

/** What is asked for, and by whom. */
export interface PayoutRequest {
  readonly kind: PayoutKind
  readonly wallet: Address
  /** An account of the settlement chain. */
  readonly recipient: Address
  /** What is taken off the ledger. */
  readonly currency: LedgerCurrency
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** The wallet's own number of this payout, used once for each kind. */
  readonly nonce: bigint
  /** Seconds since 1970: not accepted later. */
  readonly deadline: number
}

/** Whom a signature is meant for. */
export interface PayoutDomain {
  /** The settlement chain. */
  readonly chainId: ChainId
  readonly solver: Address
}

/** The EIP-712 name and version of the service. */
export const payoutDomainName = { name: "Causeway", version: "1" } as const

/** The EIP-712 type of each kind. */
export const payoutTypes: Readonly<Record<PayoutKind, string>> = {
  claim: "ClaimAppFees",
  withdraw: "WithdrawAppBalance"
}

const members =
  "(address wallet,address recipient,uint256 currencyChainId,string currency,uint256 amount,uint256 nonce,uint256 deadline)"

const domainType = keccakText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")

/** What a wallet signs for a request of some EIP-712 type; fails for accounts that are none of an EVM chain. */
export const signedDigest = (
  type: string,
  { chainId, solver }: PayoutDomain,
  request: Omit<PayoutRequest, "kind">
): Result.Result<Hex32, InvalidAddress> =>
  Result.gen(function*() {
    const account = (address: Address) => Result.map(ethereumAddresses.toBytes(address), wordOf)
    const { amount, currency, deadline, nonce } = request
    const domain = hashWords([
      domainType,
      keccakText(payoutDomainName.name),
      keccakText(payoutDomainName.version),
      word(BigInt(chainId)),
      yield* account(solver)
    ])
    const struct = hashWords([
      keccakText(`${type}${members}`),
      yield* account(request.wallet),
      yield* account(request.recipient),
      word(BigInt(currency.chainId)),
      keccak(utf8ToBytes(currency.address)),
      word(amount),
      word(nonce),
      word(BigInt(deadline))
    ])
    return hex32FromDigest(keccak(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct)))
  })

/** What the wallet signs, which is the payout's id; fails for accounts that are none of an EVM chain. */
export const payoutId = (domain: PayoutDomain, request: PayoutRequest): Result.Result<Hex32, InvalidAddress> =>
  signedDigest(payoutTypes[request.kind], domain, request)
