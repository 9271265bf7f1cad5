/** Chains, and the addresses, currencies, transaction ids and signatures of all six VM families. */
export {
  Address,
  type AddressCodec,
  CurrencyAddress,
  EthereumAddress,
  InvalidAddress
} from "../domain/chain/Address.ts"
export { ChainNetwork } from "../domain/chain/ChainNetwork.ts"
export {
  type Chain,
  type ConfirmationStep,
  type FinalityRule,
  findChain,
  findChainBySlug,
  findCurrency
} from "../domain/chain/Chain.ts"
export { ChainId, ChainSlug } from "../domain/chain/ChainId.ts"
export {
  Hex,
  Hex32,
  hex32FromDigest,
  Hex32FromString,
  hexFromBytes,
  HexFromString,
  hexToBytes
} from "../domain/encoding/Hex.ts"
export type { Curve, RecoverableSignature } from "../domain/encoding/Curve.ts"
export {
  accountOfKey,
  InvalidSignature,
  isSignedBy,
  recoverHash,
  type Signatures,
  signaturesOn,
  signHash
} from "../domain/encoding/Signature.ts"
export {
  InvalidTransactionId,
  parseTransactionId,
  TransactionId,
  transactionIdToBytes
} from "../domain/chain/TransactionId.ts"
export { addressCodec, families } from "../domain/families/index.ts"
export { type Ability, can, type FamilyRules } from "../domain/families/FamilyRules.ts"
export { FamilyName, vmFamilies, VmFamily } from "../domain/chain/VmFamily.ts"
