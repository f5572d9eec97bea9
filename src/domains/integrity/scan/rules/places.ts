/** Places on the network that several families know. Patterns without flags of their own: they are built into others. */

/** Where anybody can leave text or files without a name. */
export const DROP_SITES =
  '(?:glot\\.io|pastebin\\.com|paste\\.ee|rentry\\.(?:co|org)|hastebin\\.com|ghostbin\\.\\w{2,5}|controlc\\.com|paste\\.rs|dpaste\\.\\w{2,4}|ix\\.io|termbin\\.com|0x0\\.st|transfer\\.sh|file\\.io|catbox\\.moe|anonfiles\\.\\w{2,4}|gofile\\.io|mega\\.nz|mediafire\\.com|temp\\.sh|oshi\\.at|bashupload\\.com|cdn\\.discordapp\\.com)';

/** Where whoever reads the far end stays unknown. */
export const CATCHERS =
  '(?:webhook\\.site|requestbin\\.\\w{2,5}|requestcatcher\\.com|beeceptor\\.com|hookbin\\.com|postb\\.in|burpcollaborator\\.net|oastify\\.com|oast\\.(?:fun|pro|live|site|online|me)|interact\\.sh|canarytokens\\.(?:com|org)|dnslog\\.cn|ceye\\.io)';

/** A public address in numbers: no name, no certificate, no owner to ask. */
export const RAW_ADDRESS =
  '(?<![\\d.])(?!(?:127|10|0)\\.|192\\.168\\.|169\\.254\\.|172\\.(?:1[6-9]|2\\d|3[01])\\.|255\\.|1\\.1\\.1\\.1|1\\.0\\.0\\.1|8\\.8\\.|100\\.100\\.100\\.|168\\.63\\.129\\.|1\\.2\\.3\\.|192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.)(?:[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])\\.(?:\\d{1,3})\\.(?:\\d{1,3})\\.(?:\\d{1,3})(?![\\d.])';

/** Addresses that lead to a machine of whoever has opened them today. */
export const TUNNELS =
  '(?:[\\w-]{3,60}\\.(?:ngrok(?:-free)?\\.(?:io|app|dev)|trycloudflare\\.com|serveo\\.net|loca\\.lt|m\\.pipedream\\.net|lhr\\.life))';
