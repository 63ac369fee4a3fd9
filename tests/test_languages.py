"""Memories are found in their own language, whatever the form of a word, and beside those of other languages."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from memories import operations
from memories.models import Memory, TeamFile
from memories.operations.files import write_file
from memories.queries.folders import file_words_filter
from memories.recall import Mode, recall
from memories.recall.text_filter import lexemes, match_all_words
from memories.recall.tokens import forget_tokens, read_tokens
from memories.recall.word_stats import Within, terms
from memoryhub.languages import ENGLISH, LANGUAGES, SIMPLE
from teams.actor import Actor
from teams.models import Team
from tests import factories

# A memory, and other forms of its words by which it is found.
FORMS = {
    "german": ("Die Häuser am Hafen sind nach dem Sturm verkauft worden.", ["Haus", "Hafens", "Stürme"]),
    "spanish": ("Los camiones llegan por la noche a los almacenes del puerto.", ["camión", "almacén", "puertos"]),
    "french": ("Les marins ont été payés par la société du vieux port.", ["marin", "sociétés", "payée"]),
    "italian": ("Le navi della compagnia sono arrivate nel porto con le merci.", ["nave", "arrivata", "porti"]),
    "portuguese": ("Os navios carregam as mercadorias que não foram vendidas.", ["navio", "mercadoria", "vendida"]),
    "dutch": ("De schepen worden elke week in de haven van de stad gelost.", ["weken", "gelost", "steden stad"]),
    "swedish": ("Fartygen lossas av hamnarbetarna och det är inte billigt.", ["fartyg", "hamnarbetare", "billiga"]),
    "russian": ("Корабли стоят у причалов и ждут разгрузки.", ["корабль", "причал", "разгрузка"]),
    "greek": ("Τα πλοία είναι στο λιμάνι και περιμένουν τους εργάτες.", ["πλοίο", "λιμανιού", "εργάτης"]),
    "turkish": ("Gemiler limanda bekliyor ve işçiler çok yorgun olduğu için yük yok.", ["gemi", "liman", "işçi"]),
    "romanian": (
        "Corăbiile sunt în port și așteaptă mărfurile pentru că este furtună.",
        ["portul", "marfurile", "furtuna"],
    ),
    "arabic": ("وصلت السفن إلى الموانئ في الليل مع البضائع", ["سفن", "ليل", "البضائع"]),
    "hindi": ("किताबें बंदरगाह के पास की दुकानों में हैं", ["किताब", "दुकान"]),
}


@pytest.mark.parametrize("language", FORMS)
def test_other_forms_of_its_words_find_a_memory(writer: Actor, language: str) -> None:
    content, forms = FORMS[language]
    memory = factories.memory(writer, content)
    factories.memory(writer, "Something else entirely, about the weather of last week.")
    assert Memory.objects.get(pk=memory.pk).language == language
    for form in forms:
        assert [hit.memory for hit in recall(actor=writer, query=form, mode=Mode.KEYWORD).hits][:1] == [memory], form


# As it is written, and as it is asked for.
WRITTEN_AND_ASKED = [
    ("The café of José Müller on Straße 7", ["cafe", "Jose", "Muller", "strasse", "STRASSE"]),
    ("The cafe of Jose Muller on Strasse 7", ["café", "José", "Müller", "Straße"]),
    ("El camión está en el almacén de García", ["camion", "almacen", "garcia"]),
    ("El camion no llega al almacen de Garcia", ["camión", "almacén", "García"]),
    ("Crème brûlée à la carte pour les invités", ["creme", "brulee", "invites"]),
    ("Las ﬁnanzas y la ＡＰＩ de los ﬂujos", ["finanzas", "API", "flujos"]),
    ("Naïve coöperation with an œuvre and Æther", ["naive", "cooperation", "oeuvre", "aether"]),
    ("Ёлки стоят на берегу", ["елки", "Ёлка"]),
    ("ΛΙΜΆΝΙΑ ΤΗΣ ΕΛΛΆΔΑΣ", ["λιμανια", "Ελλαδας", "λιμάνι"]),
    ("İstanbul'da ışık yok ve ISPARTA çok uzak", ["istanbul", "ışık", "Isparta", "ısparta"]),
    ("أحمد في الـمَـدرسة", ["احمد", "مدرسه", "المدرسة"]),
    ("Biroul din Iaşi și Constanţa este închis", ["Iași", "Constanța", "iasi", "constanta"]),
    ("soft\u00adware and zero\u200bwidth", ["software", "zerowidth"]),
    ("Zażółć gęślą jaźń", ["zazolc", "gęślą", "JAZN"]),
    ("ﾊｰﾊﾞｰ管理", ["ハーバー", "管理"]),
]


@pytest.mark.parametrize(("content", "queries"), WRITTEN_AND_ASKED, ids=[each[0][:20] for each in WRITTEN_AND_ASKED])
def test_accents_and_forms_of_letters_do_not_matter(writer: Actor, content: str, queries: list[str]) -> None:
    memory = factories.memory(writer, content)
    factories.memory(writer, "Something else.")
    for query in queries:
        assert [hit.memory for hit in recall(actor=writer, query=query, mode=Mode.KEYWORD).hits] == [memory], query


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        ("港口在台风期间关闭。", ["台风", "港口关闭", "什么时候港口关闭"]),
        ("台風のため港は閉鎖されます。", ["台風", "港は閉鎖"]),
        ("태풍 때문에 항구가 폐쇄되었습니다.", ["항구", "태풍으로 폐쇄"]),
        ("ท่าเรือปิดเพราะพายุไต้ฝุ่น", ["ท่าเรือ", "พายุ"]),
        ("ທ່າເຮືອປິດຍ້ອນພະຍຸ", ["ທ່າເຮືອ"]),
        ("កំពង់ផែបិទដោយសារព្យុះ", ["កំពង់ផែ"]),
        ("မုန်တိုင်းကြောင့် ဆိပ်ကမ်းပိတ်သည်", ["ဆိပ်ကမ်း"]),
        ("水", ["水"]),
        ("私は水を飲む", ["水"]),
    ],
)
def test_writing_without_spaces_is_found_by_its_pieces(writer: Actor, content: str, queries: list[str]) -> None:
    memory = factories.memory(writer, content)
    factories.memory(writer, "Something else.")
    for query in queries:
        assert recall(actor=writer, query=query, mode=Mode.KEYWORD).hits[0].memory == memory, query


def test_languages_stand_side_by_side_in_a_team(writer: Actor) -> None:
    german = factories.memory(writer, "Der Server wird jeden Montag neu gestartet, sagen die Kollegen.")
    english = factories.memory(writer, "The printers are restarted by the colleagues on Mondays.")
    french = factories.memory(writer, "Les imprimantes sont redémarrées par les collègues le lundi.")
    assert [m.language for m in (german, english, french)] == ["german", "english", "french"]
    for query, memory in {
        "Kollege": german,
        "Was wird am Montag gestartet?": german,
        "server": german,
        "colleague": english,
        "printer": english,
        "imprimante": french,
        "Quelle imprimante est redémarrée ?": french,
    }.items():
        assert recall(actor=writer, query=query, mode=Mode.KEYWORD).hits[0].memory == memory, query


def test_a_language_is_searched_as_soon_as_a_memory_is_in_it(writer: Actor) -> None:
    factories.memory(writer, "The harbour is closed on Sundays.")
    assert recall(actor=writer, query="Häuser").hits[:1] != []  # read in English alone
    memory = factories.memory(writer, "Die Häuser am Hafen sind verkauft.")
    assert recall(actor=writer, query="Haus", mode=Mode.KEYWORD).hits[0].memory == memory


def test_a_word_in_two_languages_is_one_term(writer: Actor) -> None:
    factories.memory(writer, "Die Server werden heute von uns neu gestartet.")
    factories.memory(writer, "The servers are restarted today.")
    read = read_terms(writer, "servers")
    assert [(term.lexeme, term.words, term.others) for term in read.terms] == [("server", ("servers",), ("serv",))]


def test_stop_words_of_the_query_neither_ask_nor_lead(writer: Actor) -> None:
    factories.memory(writer, "Die Häuser am Hafen sind verkauft.")
    factories.memory(writer, "Το λιμάνι είναι κλειστό για τους επισκέπτες.")
    assert read_terms(writer, "Die Häuser sind wo?").leading == {"häuser"}
    read = read_terms(writer, "Το λιμάνι είναι πού;")
    assert "λιμάνι" in read.leading
    assert not read.leading & {"το", "είναι", "πού"}


def test_accented_words_are_words(writer: Actor) -> None:
    factories.memory(writer, "Die Straße führt über die Brücke.")
    read = read_terms(writer, "Wer geht über die große Brücke zur Straße?")
    assert read.literal == ()
    assert not read.only_identifiers
    assert [term for term in read.terms if not term.words] == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT memory_identifiers('Straße naïve слово l’été GPT-4 x² 日本語 →')")
        assert sorted(cursor.fetchone()[0]) == ["=gpt-4", "=x²", "=→"]


def read_terms(actor: Actor, query: str) -> Any:
    return terms(query=query, within=Within.of(actor), audiences=[actor.team_id], now=timezone.now())


def test_short_texts_are_in_the_language_of_the_team(writer: Actor) -> None:
    short = factories.memory(writer, "Server neu")
    assert short.language == ENGLISH
    Team.objects.filter(pk=writer.team_id).update(language="german")
    actor = with_team_language(writer)
    saved = operations.save_memory(actor=actor, draft=operations.Draft(content="Neue Rechner"))
    assert saved.language == "german"
    changed = operations.update_memory(actor=actor, memory_id=saved.pk, content="The new computers are in the office.")
    assert changed.language == ENGLISH
    again = operations.update_memory(actor=actor, memory_id=saved.pk, content="Berth 7")  # which tells nothing
    assert again.language == ENGLISH
    file = write_file(actor=actor, path="a.md", content="Rechner")
    assert TeamFile.objects.get(pk=file.pk).language == "german"
    file = write_file(actor=actor, path="a.md", content="The computers of the office are new.")
    assert TeamFile.objects.get(pk=file.pk).language == ENGLISH


def with_team_language(actor: Actor) -> Actor:
    return replace(actor, team_language=Team.objects.get(pk=actor.team_id).language)


def test_the_same_key_takes_the_language_of_the_new_text(writer: Actor) -> None:
    for content, language in (("Die Häuser sind am Hafen.", "german"), ("The houses are at the harbour.", ENGLISH)):
        saved = operations.save_memory(actor=writer, draft=operations.Draft(content=content, key="houses"))
        assert saved.language == language


def test_lists_and_files_are_filtered_by_the_words_of_any_language(writer: Actor) -> None:
    german = factories.memory(writer, "Die Häuser am Hafen sind verkauft.")
    english = factories.memory(writer, "The houses are sold.")

    def filtered(text: str) -> set[UUID]:
        rows = Memory.objects.filter(match_all_words(lexemes(text), within=writer.team_id))
        return set(rows.values_list("pk", flat=True))

    assert filtered("Haus verkauft") == filtered("die häuser") == {german.pk}
    assert filtered("the house") == filtered("selling houses sold") - {german.pk} | {english.pk}
    write_file(actor=writer, path="plan.md", content="Die Häuser am Hafen sind verkauft.")
    assert TeamFile.objects.filter(file_words_filter("Haus")).count() == 1


@pytest.mark.django_db
def test_postgres_has_dictionaries_for_each_language() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT memory_dictionaries(name)::text FROM unnest(%s::text[]) AS name", [[*LANGUAGES, SIMPLE]])
        assert [row[0].removeprefix("pg_catalog.") for row in cursor.fetchall()] == [*LANGUAGES, SIMPLE]


@pytest.mark.django_db
def test_a_query_is_read_as_the_index_reads_it() -> None:
    words = ["running", "nationales", "haeuser", "the", "och", "i", "verkauften", "navios", "x" * 100]
    forget_tokens()
    with connection.cursor() as cursor:
        for language in [*LANGUAGES, SIMPLE]:
            cursor.execute(
                "SELECT tsvector_to_array(memory_words(word, %s)) FROM unnest(%s::text[]) AS word", [language, words]
            )
            indexed = [set(lexemes) for (lexemes,) in cursor.fetchall()]
            read = [{lexeme for _, lexeme in token.lexemes} for token in read_tokens(" ".join(words), [language])]
            assert read == indexed, language


@pytest.mark.parametrize("language", [*LANGUAGES, SIMPLE])
def test_any_text_can_be_read_in_any_language(db: None, language: str) -> None:
    texts = [
        "",
        " ",
        "'",
        "\\",
        "é'\\:*&|!",
        "ı İ",
        "\u0301",
        "\u0345",
        "a\u0301" * 40,
        "ﷺ" * 20,
        "日本",
        "́ ̈ '",
        "ß",
        "x" * 3_000,
    ]
    with connection.cursor() as cursor:
        for text in texts:
            cursor.execute("SELECT memory_search(NULL, %s, ARRAY[%s], '', '', %s, %s)", [text, text, text, language])
            assert cursor.fetchone()[0]
