/**
 * Addresses of ethereum-vm: 20 bytes, canonical in lower case (PROTO-3).
 *
 * Mixed case must have the right EIP-55 checksum. A currency is a token contract, or the zero address for the native
 * currency.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Address, type AddressCodec, asCurrency } from "../AddressCodec.ts"
import { hexAccountFromBytes, hexAccountToBytes, parseHexAccount } from "../HexAccount.ts"

const family = "ethereum-vm"

/** Accounts of EVM chains: 20 bytes, as 0x and 40 lower-case hex digits. */
export const ethereumAddresses: AddressCodec = {
  family,
  nativeCurrency: asCurrency("0x0000000000000000000000000000000000000000"),
  parse: (text) => parseHexAccount(family, text),
  toBytes: (text) => hexAccountToBytes(family, text),
  fromBytes: (bytes) => hexAccountFromBytes(family, bytes),
  parseCurrency: (text) => Result.map(parseHexAccount(family, text), asCurrency),
  currencyToBytes: (text) => hexAccountToBytes(family, text),
  currencyFromBytes: (bytes) => Result.map(hexAccountFromBytes(family, bytes), asCurrency)
}

/** An EVM account on the wire (solvers, oracles, hub addresses): checked, and decoded to lower case. */
export const EthereumAddress = Schema.String.check(
  Schema.makeFilter((text) => {
    const parsed = parseHexAccount(family, text)
    return Result.isSuccess(parsed) || parsed.failure.reason
  })
).pipe(Schema.decodeTo(Address, SchemaTransformation.toLowerCase()))
