/**
 * The number of a chain for hub contracts that need one (PROTO-11). From the configuration only, never part of a signed
 * message. EVM and Tron chains have their numeric id, others uint256(keccak256(utf8 slug)).
 */
import type { ChainId, ChainSlug } from "../chain/ChainId.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/** `numericId` is the chain's own id (EIP-155 or Tron's), which other families do not have. */
export const hubChainId = (
  { isNumbered }: Pick<FamilyRules, "isNumbered">,
  slug: ChainSlug,
  numericId: ChainId
): bigint =>
  isNumbered
    ? BigInt(numericId)
    : BigInt(`0x${hexDigits(keccakText(slug))}`)
