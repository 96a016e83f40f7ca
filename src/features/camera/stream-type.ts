export const StreamType = {
  DIRECT: "DIRECT",
  PROXY: "PROXY",
  ALTPROXY: "ALTPROXY",
  HOSTEDSERVER: "HOSTEDSERVER",
  VPN: "VPN",
  CLIENT: "CLIENT",
} as const;
export type StreamType = (typeof StreamType)[keyof typeof StreamType];

export const StreamProtocol = { RTSP: "RTSP", RTMP: "RTMP", RTMPS: "RTMPS", HLS: "HLS" } as const;
export type StreamProtocol = (typeof StreamProtocol)[keyof typeof StreamProtocol];
