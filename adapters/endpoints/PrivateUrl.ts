/** True for URLs whose traffic cannot be read or changed on the way: https, and http that stays on this machine. */
import { addressRange } from "../../src/domain/webhook/AddressRange.ts"

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || addressRange(hostname.replace(/^\[(.*)\]$/u, "$1")) === "loopback"

export const isPrivate = (url: URL): boolean =>
  url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))
