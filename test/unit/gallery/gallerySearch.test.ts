import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GalleryEntry } from '../../../src/core/gallery/galleryEntry.js';
import { readEntry } from '../../../src/core/gallery/galleryEntry.js';
import { GallerySearch } from '../../../src/core/gallery/gallerySearch.js';
import { listed } from '../../support/registryServer.js';

const entries = [
  listed('com.example/agenda', { title: 'Agenda', description: 'Reads and writes a calendar' }),
  listed('com.example/calendar', { description: 'Meetings' }),
  listed('com.example/calendar-old', {}, { status: 'deprecated' }),
  listed('com.meteo/forecast', { title: 'Météo', description: 'Temperature and rain' }),
  listed('io.github.acme/weather', { title: 'Weather', description: 'Forecasts for your calendar' }),
  listed('jp.example/tenki', { title: '天気予報', description: '東京の天気' }),
].flatMap((value): GalleryEntry[] => [readEntry(value) ?? []].flat());

async function found(query: string): Promise<string[]> {
  return (await GallerySearch.over(entries)).search(query).map(({ name }) => name.split('/')[1] ?? '');
}

test('words are found in name, title, publisher and description, the name first and deprecated servers last', async () => {
  assert.deepEqual(await found('calendar'), ['calendar', 'agenda', 'weather', 'calendar-old']);
  assert.deepEqual(await found('acme'), ['weather']);
  assert.deepEqual(await found('METEO rain'), ['forecast']);
  assert.deepEqual(await found('天気'), ['tenki']);
});

test('the beginning or a part of a word, another form of it, and a mistyped word find a server', async () => {
  assert.deepEqual(await found('wea'), ['weather']);
  assert.deepEqual(await found('ecast'), ['forecast', 'weather']);
  assert.deepEqual(await found('calendars of example'), ['calendar', 'agenda', 'calendar-old']);
  assert.deepEqual(await found('wether'), ['weather']);
});

test('a repeated word of a query counts once, and the best place of a word counts', async () => {
  assert.deepEqual(await found('calendar calendar'), await found('calendar'));
  const places = ['xcal cal', 'xcal cals', 'xcal'].map((description, at) => listed(`b/${'zyx'[at]}`, { description }));
  const search = await GallerySearch.over(places.flatMap((value) => readEntry(value) ?? []));
  assert.deepEqual(
    search.search('cal').map(({ description }) => description),
    ['xcal cal', 'xcal cals', 'xcal'],
  );
});

test('a query without words lists all servers, and one without matches none', async () => {
  assert.equal((await found(' -')).length, entries.length);
  assert.deepEqual(await found('zzzzqqqq'), []);
  assert.deepEqual(await found('x'.repeat(100_000)), []);
});
