/**
 * The stored form of a signed payment of exchangea-vm: the transfer, and the mapping of its nonce to the order, each
 * with its signature (EXCHANGEA-20). A sweep is the transfer of a deposit address (EXCHANGEA-31). Pure, total.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Address } from "../../../chain/Address.ts"
import type { Chain } from "../../../chain/Chain.ts"
import { Hex, Hex32, hex32FromDigest } from "../../../encoding/Hex.ts"
import { keccakText } from "../../../encoding/StructHash.ts"
import type { SignedNonceMapping } from "../../../nonce-mapping/NonceMapping.ts"
import type { SendAsset } from "../ExchangeAWithdrawal.ts"
import { SIGNATURE_CHAIN } from "./TransferDigest.ts"

const Transfer = Schema.Struct({
  _tag: Schema.Literal("SendAsset"),
  hyperliquidChain: Schema.String,
  destination: Schema.String,
  sourceDex: Schema.String,
  destinationDex: Schema.String,
  token: Schema.String,
  amount: Schema.String,
  fromSubAccount: Schema.String,
  nonce: Schema.BigIntFromString
})

const Stored = Schema.Struct({
  transfer: Transfer,
  order: Hex32,
  /** Missing for a payment that was found on the exchange, which shows no signatures. It is executed already. */
  signatures: Schema.optionalKey(Schema.Struct({ transfer: Hex, mapping: Hex })),
  /** Of a sweep: the deposit address that sends it, and the signature of the residue that is sent before it. */
  sweep: Schema.optionalKey(Schema.Struct({ address: Address, residue: Schema.optionalKey(Hex) }))
})
export type StoredPayment = typeof Stored.Type

const Text = Schema.fromJsonString(Stored)

/** The text that the store keeps. */
export const writeStored: (stored: StoredPayment) => string = Schema.encodeSync(Text)

/** Undefined for text that `writeStored` never wrote. */
export const readStored = (raw: string): StoredPayment | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Text)(raw))

/** Who sends it. */
export const senderOf = ({ sweep }: Pick<StoredPayment, "sweep">, solver: Address): Address => sweep?.address ?? solver

/**
 * The id of a payment until the exchange has executed it, and given it a hash that nobody can know before: of the
 * account and the nonce, because these two are executed once.
 */
export const paymentIdOf = ({ slug }: Pick<Chain, "slug">, account: Address, nonce: bigint): Hex32 =>
  hex32FromDigest(keccakText(`payment on ${slug} of ${account}: ${nonce}`))

/** What says for which order a transfer of the account is, still to be signed. */
export const mappingOf = (
  { slug }: Pick<Chain, "slug">,
  account: Address,
  { order, transfer: { nonce } }: { readonly order: Hex32; readonly transfer: Pick<SendAsset, "nonce"> }
): Omit<SignedNonceMapping, "signature"> => ({
  chain: slug,
  wallet: account,
  depositor: account,
  nonce,
  id: order,
  signatureChainId: SIGNATURE_CHAIN
})
