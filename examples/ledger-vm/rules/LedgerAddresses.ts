/**
 * Accounts and currencies of ledger-vm: bech32m of 20 bytes, with the prefix `ldg`. An account is the hash of its
 * public key. A currency is named by the account that issues it, the ledger's own by 20 zero bytes.
 *
 * Lower case is canonical. Upper case is accepted; mixed case and a wrong checksum are refused.
 */
import { bech32m } from "@scure/base"
import { Address, type AddressCodec, CurrencyAddress, InvalidAddress } from "causeway-kit"
import { Result } from "effect"

export const family = "ledger-vm"
const prefix = "ldg"
const size = 20

const refused = (input: string, reason: string): InvalidAddress =>
  new InvalidAddress({ family, input: input.slice(0, 128), reason })

const toBytes = (text: string): Result.Result<Uint8Array, InvalidAddress> => {
  const decoded = text.length <= 64 ? bech32m.decodeUnsafe(text) : undefined
  const bytes = decoded?.prefix === prefix ? bech32m.fromWordsUnsafe(decoded.words) : undefined
  return bytes instanceof Uint8Array && bytes.length === size
    ? Result.succeed(bytes)
    : Result.fail(refused(text, "not bech32m of 20 bytes under ldg"))
}

const textOf = (bytes: Uint8Array): Result.Result<string, InvalidAddress> =>
  bytes.length === size
    ? Result.succeed(bech32m.encode(prefix, bech32m.toWords(bytes)))
    : Result.fail(refused("", "not 20 bytes"))

const canonical = (text: string): Result.Result<string, InvalidAddress> => Result.flatMap(toBytes(text), textOf)

export const ledgerAddresses: AddressCodec = {
  family,
  nativeCurrency: CurrencyAddress.make(bech32m.encode(prefix, bech32m.toWords(new Uint8Array(size)))),
  parse: (text) => Result.map(canonical(text), (account) => Address.make(account)),
  toBytes,
  fromBytes: (bytes) => Result.map(textOf(bytes), (account) => Address.make(account)),
  parseCurrency: (text) => Result.map(canonical(text), (currency) => CurrencyAddress.make(currency)),
  currencyToBytes: toBytes,
  currencyFromBytes: (bytes) => Result.map(textOf(bytes), (currency) => CurrencyAddress.make(currency))
}
