/** Which addresses are this machine or its neighbourhood, where a URL from outside must not lead. Pure. */
import { BlockList, isIP } from 'node:net';

const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
];

/** An address, not a name. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  if (family === 0) return false;
  return privateList().check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a URL's host says by itself that it means this machine or its neighbourhood. */
export function namesPrivateHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isPrivateAddress(hostname);
}

function privateList(): BlockList {
  const list = new BlockList();
  for (const [net, bits] of PRIVATE_V4) list.addSubnet(net, bits, 'ipv4');
  for (const [net, bits] of PRIVATE_V6) list.addSubnet(net, bits, 'ipv6');
  return list;
}
