/** An address lookup table as nodes parse it (`jsonParsed`), from its account's bytes: a header of 56, then addresses. */
import type { Address } from "@solana/kit"
import { address, getAddressDecoder } from "@solana/kit"
import type { Account } from "./Account.ts"

export const tableProgram: Address = address("AddressLookupTab1e1111111111111111111111111")

const HEADER = 56
const INITIALIZED = 1

/** Undefined for every other account. */
export const parsedTable = ({ data, owner }: Account) => {
  if (owner !== tableProgram || data.length < HEADER) return undefined
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  if (view.getUint32(0, true) !== INITIALIZED) return undefined
  const at = (offset: number) => getAddressDecoder().decode(data, offset)
  return {
    program: "address-lookup-table",
    parsed: {
      type: "lookupTable",
      info: {
        deactivationSlot: `${view.getBigUint64(4, true)}`,
        lastExtendedSlot: `${view.getBigUint64(12, true)}`,
        lastExtendedSlotStartIndex: view.getUint8(20),
        ...(view.getUint8(21) === 1 ? { authority: at(22) } : {}),
        addresses: Array.from(
          { length: Math.floor((data.length - HEADER) / 32) },
          (_, index) => at(HEADER + index * 32)
        )
      }
    },
    space: data.length
  }
}
