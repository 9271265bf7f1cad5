/**
 * Output scripts and the addresses that they pay: P2PKH, P2SH and witness programs.
 *
 * Every other script (OP_RETURN, bare keys, bare multisig) pays no address.
 */
import * as Result from "effect/Result"
import { type Address, type InvalidAddress, invalidAddress } from "../AddressCodec.ts"
import { bitcoinAddresses } from "./BitcoinAddresses.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import { bitcoinPrefixes } from "./BitcoinPrefixes.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

const opEqual = 0x87
const opHash160 = 0xa9
const opCheckSig = 0xac
const opDup = 0x76
const opEqualVerify = 0x88

/** The protocol's bytes of the address that a script pays (PROTO-3). */
const addressBytes = (script: Uint8Array, network: ChainNetwork): Uint8Array | undefined => {
  const { pubKeyHash, scriptHash } = bitcoinPrefixes[network]
  const [first, second, third] = script
  if (script.length === 25 && first === opDup && second === opHash160 && third === 20) {
    return script[23] === opEqualVerify && script[24] === opCheckSig
      ? Uint8Array.of(0xff, pubKeyHash, ...script.subarray(3, 23))
      : undefined
  }
  if (script.length === 23 && first === opHash160 && second === 20) {
    return script[22] === opEqual ? Uint8Array.of(0xff, scriptHash, ...script.subarray(2, 22)) : undefined
  }
  if (first === undefined || second !== script.length - 2) return undefined
  // OP_0 is 0x00, OP_1 to OP_16 are 0x51 to 0x60.
  const version = first === 0x00 ? 0 : first >= 0x51 && first <= 0x60 ? first - 0x50 : undefined
  return version === undefined ? undefined : Uint8Array.of(version, ...script.subarray(2))
}

/** The address that a script pays on a network. Fails for a script without an address. */
export const addressOfScript = (
  script: Uint8Array,
  network: ChainNetwork
): Result.Result<Address, InvalidAddress> => {
  const bytes = addressBytes(script, network)
  return bytes === undefined
    ? Result.fail(invalidAddress("bitcoin-vm", hexDigits(script.subarray(0, 64)), "the script pays no address"))
    : bitcoinAddresses(network).fromBytes(bytes)
}

/** The script that pays an address of the network. */
export const scriptOfAddress = (
  address: string,
  network: ChainNetwork
): Result.Result<Uint8Array, InvalidAddress> =>
  Result.map(bitcoinAddresses(network).toBytes(address), (bytes) => {
    const [first = 0, version] = bytes
    if (first !== 0xff) {
      return Uint8Array.of(first === 0 ? 0x00 : 0x50 + first, bytes.length - 1, ...bytes.subarray(1))
    }
    const hash = bytes.subarray(2)
    return version === bitcoinPrefixes[network].pubKeyHash
      ? Uint8Array.of(opDup, opHash160, 20, ...hash, opEqualVerify, opCheckSig)
      : Uint8Array.of(opHash160, 20, ...hash, opEqual)
  })
