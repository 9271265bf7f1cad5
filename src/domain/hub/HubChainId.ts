/**
 * The number of a chain for hub contracts that want one (PROTO-11): configuration only, never part
 * of a signed message. EVM and Tron have their numeric id, others uint256(keccak256(utf8 slug)).
 */
import type { ChainId, ChainSlug } from "../chain/ChainId.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { VmFamily } from "../chain/VmFamily.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/** `numericId` is the chain's own id (EIP-155 or Tron's), which other families do not have. */
export const hubChainId = (family: VmFamily, slug: ChainSlug, numericId: ChainId): bigint =>
  family === "ethereum-vm" || family === "tron-vm"
    ? BigInt(numericId)
    : BigInt(`0x${hexDigits(keccakText(slug))}`)
