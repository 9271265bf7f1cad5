import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isIP } from "node:net"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { addressRange, isAddress } from "./AddressRange.ts"
import type { AddressRange } from "./AddressRange.ts"

const table: Readonly<Record<AddressRange, ReadonlyArray<string>>> = {
  public: [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2000::1",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "3ffe::1",
    "2003::"
  ],
  loopback: ["127.0.0.1", "127.0.0.0", "127.255.255.255", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1", "0000::0001"],
  refused: [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "169.254.169.254",
    "169.254.0.0",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    // Unspecified, unique local, link-local, site-local, multicast, discard, documentation, benchmarks, ORCHID.
    "::",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "2001:db8::1",
    "3fff::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "5f00::1",
    "4000::",
    // IPv4 in IPv6, public or not: mapped, compatible, translated, NAT64 of both prefixes, 6to4, Teredo.
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
    "::7f00:1",
    "::8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2001::1",
    "2001:0:808:808::1",
    // Not addresses, or texts that parsers read differently.
    "",
    "localhost",
    "1.1.1",
    "1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "1.1.1.256",
    "1.1.1.1.",
    " 1.1.1.1",
    "::1%lo",
    "fe80::1%eth0",
    "[::1]",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "1.1.1.1::",
    "::1.1.1.1:1",
    "::g"
  ]
}

describe("the range of an address", () => {
  for (const [range, addresses] of Object.entries(table)) {
    it(`${range}: ${addresses.length} of them`, () => {
      for (const address of addresses) assert.strictEqual(addressRange(address), range, address)
    })
  }

  it("recognises the same addresses as Node, also for similar texts", () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom("0", "1", "9", "f", ":", "::", ".", "255", "256", "00"), maxLength: 12 })
    )
    fc.assert(fc.property(text, (address) => assert.strictEqual(isAddress(address), isIP(address) !== 0, address)), {
      numRuns: inputs(20_000, 500_000)
    })
  })

  it("is the same for every spelling of an IPv6 address, as URLs write them", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
        assert.strictEqual(addressRange(address), addressRange(canonical), address)
        assert.strictEqual(addressRange(address), addressRange(address.toUpperCase()))
      }),
      { numRuns: inputs(5_000, 100_000) }
    )
  })

  it("of an IPv4 address within an IPv6 one is never public", () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        fc.constantFrom("::ffff:", "::ffff:0:", "::", "64:ff9b::", "64:ff9b:1::"),
        (inner, prefix) => {
          assert.notStrictEqual(addressRange(`${prefix}${inner}`), "public")
        }
      ),
      { numRuns: inputs(5_000, 100_000) }
    )
  })
})
