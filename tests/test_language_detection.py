"""The language of a text is told from its script and its commonest words."""

import pytest

from memories.text.language import SAMPLE, choose_language, detect_language, list_common_words, order_languages
from memoryhub.languages import ENGLISH, LANGUAGE_LENGTH, LANGUAGES, SIMPLE
from tests.effort import cpu_seconds

TEXTS = {
    "arabic": "تم نقل الخادم إلى مركز البيانات الجديد في نهاية الأسبوع",
    "armenian": "Նավահանգիստը փակ է կիրակի օրերին",
    "basque": "Zerbitzaria astero berrabiarazten da eta ez du inork ukitu behar",
    "catalan": "El servidor es reinicia cada nit perquè no hi ha prou memòria per a tothom",
    "danish": "Serveren bliver genstartet hver nat, og det er ikke noget problem for os",
    "dutch": "De server wordt elke nacht herstart omdat het geheugen niet genoeg is",
    "english": "The server is restarted every night because there is not enough memory",
    "finnish": "Palvelin käynnistetään joka yö, koska muisti ei ole riittävä",
    "french": "Le serveur est redémarré chaque nuit parce que la mémoire ne suffit pas",
    "german": "Der Server wird jede Nacht neu gestartet, weil der Speicher nicht reicht",
    "greek": "Ο διακομιστής επανεκκινείται κάθε βράδυ",
    "hindi": "सर्वर हर रात फिर से शुरू होता है क्योंकि मेमोरी कम है",
    "hungarian": "A szerver minden éjjel újraindul, mert nincs elég memória",
    "indonesian": "Server ini dinyalakan ulang setiap malam karena memori tidak cukup untuk semua",
    "irish": "Tá an freastalaí dúnta ar an Domhnach agus níl sé ag obair",
    "italian": "Il server viene riavviato ogni notte perché la memoria non basta",
    "lithuanian": "Serveris paleidžiamas iš naujo kiekvieną naktį, nes atminties nepakanka ir tai yra žinoma",
    "nepali": "सर्भर हरेक रात बन्द हुन्छ र पनि यो समस्या छ भने को लाई थाहा छ",
    "norwegian": "Serveren blir startet på nytt hver natt, og det er ikke noe problem av betydning",
    "portuguese": "O servidor é reiniciado todas as noites porque não há memória para os processos",
    "romanian": "Serverul este repornit în fiecare noapte pentru că memoria nu ajunge și asta e",
    "russian": "Сервер перезапускается каждую ночь, потому что памяти не хватает",
    "serbian": "Server se ponovo pokreće svake noći, jer nema dovoljno memorije za sve",
    "spanish": "El servidor se reinicia cada noche porque la memoria no es suficiente para todos",
    "swedish": "Servern startas om varje natt och det är inte något problem för oss",
    "tamil": "சேவையகம் ஒவ்வொரு இரவும் மீண்டும் தொடங்கப்படுகிறது",
    "turkish": "Sunucu her gece yeniden başlatılıyor çünkü bellek yeterli değil ve bu bir sorun",
    "yiddish": "דער שיף איז געקומען מיט אַ סך מענטשן און זיי האבן נישט געוואוסט וואו צו גיין",
    # In languages without dictionaries, words stay as they are.
    "Polish": "Serwer jest uruchamiany ponownie każdej nocy, ponieważ nie ma dość pamięci",
    "Czech": "Server se každou noc restartuje, protože není dost paměti",
    "Vietnamese": "Máy chủ được khởi động lại mỗi đêm vì không đủ bộ nhớ",
    "Ukrainian": "Сервер перезапускається щоночі, бо йому не вистачає пам'яті",
    "Bulgarian": "Сървърът се рестартира всяка нощ, защото не му достига памет и това е така",
    "Hebrew": "השרת מופעל מחדש בכל לילה",
    "Persian": "سرور هر شب دوباره راه‌اندازی می‌شود چون حافظه کافی نیست که گفته‌اند",
    "Marathi": "सर्व्हर रोज रात्री पुन्हा सुरू होतो आणि ते ठीक आहे",
    "Georgian": "სერვერი ყოველ ღამე თავიდან ირთვება",
    # Of writing without spaces, the words between are read as English.
    "Chinese": "服务器每晚重新启动, because the memory is low",
    "Japanese": "サーバーは毎晩再起動されます",
    "Thai": "เซิร์ฟเวอร์จะรีสตาร์ททุกคืน",
    "Korean": "서버는 매일 밤 다시 시작됩니다",
}
READ_AS_ENGLISH = {"Chinese", "Japanese", "Thai", "Korean"}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_sentence_is_told(language: str) -> None:
    expected = language if language in LANGUAGES else ENGLISH if language in READ_AS_ENGLISH else SIMPLE
    assert detect_language(TEXTS[language]) == expected


def test_there_is_a_sentence_for_each_language() -> None:
    assert set(LANGUAGES) <= TEXTS.keys()
    assert max(map(len, (*LANGUAGES, SIMPLE))) <= LANGUAGE_LENGTH


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in v2.4.1, see ADR-016.",
        "Where is Hans Müller's café?",
        "We met José and Zoë at the Château in Malmö.",
        "def main(argv): return 0  # no le la un",
        "Die the death, an old man said to us.",
        "LGTM, thanks! Was it on main or in a branch?",
        "The motto is “Liberté, égalité, fraternité”, as in France.",
    ],
)
def test_english_with_foreign_words_is_not_taken_for_another_language(text: str) -> None:
    assert choose_language(text) == ENGLISH


@pytest.mark.parametrize(
    ("text", "language"), [("Berth 7", ENGLISH), ("", ENGLISH), ("42", ENGLISH), ("Łódź żółć", SIMPLE), ("🚢", ENGLISH)]
)
def test_what_could_be_any_language_is_read_in_the_fallback(text: str, language: str) -> None:
    assert choose_language(text) == language
    assert choose_language("Server neu", fallback="german") == "german"
    assert choose_language(TEXTS["french"], fallback="german") == "french"


def test_a_query_is_read_in_its_own_language_first() -> None:
    searched = (ENGLISH, "french", "german")
    assert order_languages("Wo ist der Hafen?", searched) == ("german", ENGLISH, "french")
    assert order_languages("Where is the harbour?", searched) == searched
    assert order_languages("ADR-016", searched) == searched
    assert order_languages("Où est le port ?", (ENGLISH,)) == (ENGLISH,)
    assert order_languages("¿Dónde está el puerto?", searched) == searched  # nothing there is Spanish


def test_common_words_are_listed_where_postgres_has_no_stop_words() -> None:
    assert "είναι" in list_common_words("greek")
    assert "في" in list_common_words("arabic")
    assert list_common_words(SIMPLE) == frozenset()


def test_a_long_text_is_told_by_its_beginning() -> None:
    sample = (TEXTS["german"] + " ") * (1 + SAMPLE // len(TEXTS["german"]))
    assert detect_language(sample + TEXTS["russian"] * 100) == "german"
    short, long = sample[:SAMPLE], sample + "ä" * 50_000
    assert cpu_seconds(lambda: [detect_language(long) for _ in range(50)]) < 4 * cpu_seconds(
        lambda: [detect_language(short) for _ in range(50)]
    )
