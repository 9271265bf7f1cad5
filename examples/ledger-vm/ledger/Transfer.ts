/**
 * A transfer of the ledger: what its sender signs, its id, and the check of its signature.
 *
 * The signed text contains the sender's sequence number, which is used once: a transfer that is sent twice is executed
 * once. The id depends on this text alone, so another signature of the same transfer gives the same transfer.
 *
 * Another account can pay the fee. It signs the same text.
 */
import {
  accountOfKey,
  Address,
  CurrencyAddress,
  Hex,
  type Hex32,
  hexToBytes,
  protocolAccounts,
  recoverDigest,
  signDigest,
  textDigest
} from "causeway-kit"
import { Result, Schema } from "effect"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"

const Units = Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n - 1n }))

export const Transfer = Schema.Struct({
  /** The hash of the ledger's first block, so a transfer is valid on one ledger only. */
  ledger: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  sender: Address,
  sequence: Units,
  recipient: Address,
  currency: CurrencyAddress,
  /** Smallest units of the currency. */
  amount: Units,
  /** The highest fee that the ledger may charge, smallest units of its own currency. */
  fee: Units,
  /** One line of text. A memo that is exactly an order's id names the order. */
  memo: Schema.String.check(Schema.isMaxLength(128), Schema.isPattern(/^[ -~]*$/)),
  /** The account that pays the fee. Absent when the sender does. */
  payer: Schema.optionalKey(Address)
})
export type Transfer = typeof Transfer.Type

export const SignedTransfer = Schema.Struct({
  transfer: Transfer,
  /** The sender's. */
  signature: Hex,
  /** The payer's, where the transfer names one. */
  payerSignature: Schema.optionalKey(Hex)
})
export type SignedTransfer = typeof SignedTransfer.Type

/** What the sender signs. */
export const digestOf = (transfer: Transfer): Hex32 =>
  textDigest([
    "ledger transfer",
    `ledger: ${transfer.ledger}`,
    `sender: ${transfer.sender}`,
    `sequence: ${transfer.sequence}`,
    `recipient: ${transfer.recipient}`,
    `currency: ${transfer.currency}`,
    `amount: ${transfer.amount}`,
    `fee: ${transfer.fee}`,
    `memo: ${transfer.memo}`,
    ...(transfer.payer === undefined ? [] : [`payer: ${transfer.payer}`])
  ].join("\n"))

/** Ids that were computed before: a node looks for transfers by their ids again and again. */
const ids = new WeakMap<Transfer, string>()

/** 64 hex digits. */
export const transferId = (transfer: Transfer): string => {
  const known = ids.get(transfer)
  if (known !== undefined) return known
  const id = digestOf(transfer).slice(2)
  ids.set(transfer, id)
  return id
}

/** The key's EVM account, the same 20 bytes, in the ledger's spelling. */
export const inLedgerSpelling = (account: string): Address =>
  Result.getOrThrow(Result.flatMap(protocolAccounts.toBytes(account), ledgerAddresses.fromBytes))

/** The account of a secp256k1 key. Throws for an invalid key. */
export const accountOf = (key: Hex32): Address => inLedgerSpelling(Result.getOrThrow(accountOfKey(key)))

/** `payerKey`: for a transfer that names a payer. `sign`: on a faster curve than the default. Throws for an invalid key. */
export const signTransfer = (
  transfer: Transfer,
  key: Hex32,
  { payerKey, sign = signDigest }: { readonly payerKey?: Hex32 | undefined; readonly sign?: typeof signDigest } = {}
): SignedTransfer => {
  const digest = hexToBytes(digestOf(transfer))
  const signedBy = (each: Hex32) => Result.getOrThrow(sign(digest, each))
  return {
    transfer,
    signature: signedBy(key),
    ...(payerKey === undefined ? {} : { payerSignature: signedBy(payerKey) })
  }
}

/** True when its sender has signed it, and its payer where it names one. `recover`: on a faster curve than the default. */
export const isSigned = (
  { payerSignature, signature, transfer }: SignedTransfer,
  recover = recoverDigest
): boolean => {
  const digest = hexToBytes(digestOf(transfer))
  const isBy = (account: Address, by: Hex): boolean => {
    const signer = recover(digest, by)
    return Result.isSuccess(signer) && inLedgerSpelling(signer.success) === account
  }
  const { payer, sender } = transfer
  return isBy(sender, signature) &&
    (payer === undefined || (payerSignature !== undefined && isBy(payer, payerSignature)))
}
