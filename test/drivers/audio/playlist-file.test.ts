import { describe, expect, it } from "vitest";
import { namesPlaylist, readPlaylist } from "../../../drivers/audio/playlist-file.ts";

const base = "http://radio.example/dir/list.m3u";

describe("a playlist", () => {
  it.each([
    [
      "an m3u",
      "#EXTM3U\r\n#EXTINF:-1,Name\r\nhttp://a.example/1\r\n\r\nlive.mp3\r\n",
      ["http://a.example/1", "http://radio.example/dir/live.mp3"],
    ],
    ["an m3u without a head", "http://a.example/1\n", ["http://a.example/1"]],
    [
      "a pls",
      "[Playlist]\nNumberOfEntries=2\nFile1=http://a.example/1\nTitle1=x\nfile2 = http://b.example/2\n",
      ["http://a.example/1", "http://b.example/2"],
    ],
    ["one with a byte order mark", "\uFEFF#EXTM3U\nhttp://a.example/1", ["http://a.example/1"]],
  ])("%s is read", (_what, text, urls) => {
    expect(readPlaylist(text, base)).toEqual({ kind: "entries", urls });
  });

  it("keeps web addresses only", () => {
    const text = "#EXTM3U\nfile:///etc/passwd\ntcp://10.0.0.1:22\nrtmp://a/b\nhttp://a.example/1";
    expect(readPlaylist(text, base)).toEqual({ kind: "entries", urls: ["http://a.example/1"] });
  });

  it("is bounded", () => {
    const text = `#EXTM3U\n${"http://a.example/1\n".repeat(500)}`;
    expect(readPlaylist(text, base)).toMatchObject({ urls: { length: 20 } });
  });

  it.each(["", "<html></html>", "some words", "#EXTM3U\n"])("%j is none", (text) => {
    expect(readPlaylist(text, base)).toEqual({ kind: "none" });
  });

  it("of HLS is left to the player", () => {
    expect(readPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION:2\n1.ts", base)).toEqual({ kind: "hls" });
  });

  it("is known by its name where it has one", () => {
    expect(namesPlaylist("http://a.example/x.PLS?y")).toBe(true);
    expect(namesPlaylist("http://a.example/x.m3u8")).toBe(false);
  });
});
